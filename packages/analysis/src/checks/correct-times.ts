import { type CompiledSchema, replaceValues, type TimeClaim, writeTime } from "@video-to-json/schema";
import { checkHere } from "@video-to-json/schema/thread";
import { clipTime } from "./clip-question.ts";
import type { TimeFinding } from "./judge-times.ts";

type Looked = {
  text: string;
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  durationMs: number;
  claims: readonly TimeClaim[];
  findings: ReadonlyMap<string, TimeFinding>;
};
type Move = { claim: TimeClaim; ms: number; literal: string };

/** The largest number of moves that are tried one by one after all of them together did not conform. */
const maxTried = 20;

/**
 * Writes the times that moved into the answer. A move that would break the schema, put an end before its start or a
 * list out of its order is not applied, and its finding becomes `unconfirmed`. A move that changes nothing becomes
 * `confirmed`. For use inside the sandbox only.
 *
 * @returns the answer, which conforms, and the findings about it.
 */
export function moveTimes(looked: Looked): { text: string; findings: Map<string, TimeFinding> } {
  const { schema, durationMs, claims, findings } = looked;
  const result = new Map(findings);
  const wanted = claims.flatMap((claim) => moveOf(claim, findings.get(claim.pointer)));
  const moves = wanted.filter((move) => move.literal !== writeTime(move.claim.fromMs, move.claim.form));
  setVerdict(wanted, "confirmed");
  let applied: Move[] = [];
  let text = looked.text;
  if (moves.length > 0) {
    const groups = [moves, ...inPairs(moves).slice(0, maxTried)];
    for (const group of groups) {
      const tried = [...applied, ...group];
      const changed = conforming(tried);
      if (changed === undefined) continue;
      applied = tried;
      text = changed;
      if (group === moves) break;
    }
  }
  setVerdict(moves, "unconfirmed");
  setVerdict(applied, "moved");
  return { text, findings: result };

  function conforming(tried: readonly Move[]): string | undefined {
    if (!keepsOrder(claims, tried)) return undefined;
    const literals = new Map(tried.map(({ claim, literal }) => [claim.pointer, literal]));
    const checked = checkHere(schema, replaceValues(looked.text, literals), durationMs);
    return checked.ok ? checked.text : undefined;
  }

  function setVerdict(of: readonly Move[], verdict: TimeFinding["verdict"]): void {
    for (const { claim } of of) {
      const finding = findings.get(claim.pointer);
      if (finding) result.set(claim.pointer, { ...finding, verdict });
    }
  }
}

function moveOf(claim: TimeClaim, finding: TimeFinding | undefined): Move[] {
  const [span] = finding?.verdict === "moved" ? finding.spans : [];
  if (!span) return [];
  const ms = claim.edge === "end" ? span.endMs : span.startMs;
  return [{ claim, ms, literal: writeTime(ms, claim.form) }];
}

/** Moves the two edges of a span together, because one alone may make it end before it starts. */
function inPairs(moves: readonly Move[]): Move[][] {
  const pairs = new Map<string, Move[]>();
  for (const move of moves) {
    const { pointer, otherEdge } = move.claim;
    const key = [pointer, otherEdge ?? pointer].sort().join(" ");
    pairs.set(key, [...(pairs.get(key) ?? []), move]);
  }
  return [...pairs.values()];
}

/** Returns whether no span ends before it starts, and every list that was in order of time still is. */
function keepsOrder(claims: readonly TimeClaim[], moves: readonly Move[]): boolean {
  const moved = new Map(moves.map(({ claim, ms }) => [claim.pointer, ms]));
  const now = ({ pointer, fromMs }: TimeClaim) => Math.floor((moved.get(pointer) ?? fromMs) / 1000);
  const byPointer = new Map(claims.map((claim) => [claim.pointer, claim]));
  const lists = new Map<string, TimeClaim[]>();
  for (const claim of claims) {
    const end = claim.edge === "start" && claim.otherEdge !== null ? byPointer.get(claim.otherEdge) : undefined;
    if (end && now(end) < now(claim)) return false;
    const list = claim.pointer.replace(/\/\d+(?=(\/\D[^/]*)*$)/, "/*");
    lists.set(list, [...(lists.get(list) ?? []), claim]);
  }
  return [...lists.values()].every((list) => {
    const wasOrdered = list.every((claim, index) => index === 0 || claim.fromMs >= (list[index - 1]?.fromMs ?? 0));
    return !wasOrdered || list.every((claim, index) => index === 0 || now(claim) >= now(list[index - 1] ?? claim));
  });
}

/**
 * Returns the contradicted times as violations: for the model with the sightings, for the caller without the model's
 * words.
 */
export function contradictionsOf(
  claims: readonly TimeClaim[],
  findings: ReadonlyMap<string, TimeFinding>,
): { violations: string[]; violationsForCaller: string[] } {
  const contradicted = claims.flatMap((claim) => {
    const finding = findings.get(claim.pointer);
    return finding?.verdict === "contradicted" ? [{ claim, finding }] : [];
  });
  const forCaller = contradicted.map(
    ({ claim }) =>
      `${claim.pointerForCaller}: a second look at the video did not find this at the time that was answered`,
  );
  return {
    violations: contradicted.map(({ claim, finding }) => `${claim.pointer}: ${reasonOf(claim, finding)}`),
    violationsForCaller: [...new Set(forCaller)],
  };
}

function reasonOf({ fromMs, edge }: TimeClaim, { spans, checked }: TimeFinding): string {
  const stated = `${clipTime(fromMs)} is wrong`;
  if (!checked) return stated;
  const [from, to] = [clipTime(checked.fromMs), clipTime(checked.toMs)];
  if (spans.length === 0)
    return `${stated}: the video does not show this between ${from} and ${to}; look elsewhere, or leave it out if it never happens`;
  return edge === "start"
    ? `${stated}: this already goes on at ${from}, so it begins before`
    : `${stated}: this still goes on at ${to}, so it ends after`;
}
