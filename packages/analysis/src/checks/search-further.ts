import type { TimeClaim } from "@video-to-json/schema";
import type { ClipDeps } from "./ask-clips.ts";
import {
  assignPoints,
  distance,
  type SeenEdge,
  type Span,
  seenEdges,
  type TimeFinding,
  toleranceMs,
} from "./judge-times.ts";
import { lookAtClaims, type Observation, type TimesRun } from "./look-at-claims.ts";
import { choosePlan, type Plan } from "./plan-clips.ts";

type Judged = { claims: readonly TimeClaim[]; findings: Map<string, TimeFinding> };

const reachMs = 75_000;
/** One picture a second, first near the claims, then all of a video of ten minutes. */
const farPlans: readonly Plan[] = [
  { framesPerSecond: 1, maxLengthMs: 180_000, reachMs },
  { framesPerSecond: 1, maxLengthMs: 300_000, reachMs },
  { framesPerSecond: 1, maxLengthMs: 600_000, reachMs },
];
/** Edges from clips with few pictures that are this close are the same. */
const sameMs = 1500;

/**
 * Looks further away for the claims that their clips contradict: more than a minute to each side. If the event is seen
 * at the claimed time, the claim is kept, because a contradiction counts only if two looks agree. If it is seen
 * elsewhere, the time moves there, unless another claim is about that sighting, or several sightings are possible.
 *
 * @returns all findings, with the new results for the contradicted ones. Never rejects.
 */
export async function searchFurther(
  deps: ClipDeps,
  { claims, findings }: Judged,
  { shiftMs, ...request }: TimesRun & { shiftMs: number },
): Promise<Map<string, TimeFinding>> {
  const { budget, durationMs, farMemory, keptDollars } = request;
  const lost = claims.filter(({ pointer }) => findings.get(pointer)?.verdict === "contradicted");
  if (lost.length === 0) return findings;
  const observed = new Map<TimeClaim, Omit<Observation, "edges">>();
  for (const claim of lost) {
    const known = farMemory.find(claim, durationMs, reachMs);
    if (known) observed.set(claim, known);
  }
  const open = lost.filter((claim) => !observed.has(claim));
  const plan = choosePlan(open, { budget, durationMs, maxDollars: budget.left() - keptDollars, plans: farPlans });
  for (const [claim, { window, sighting }] of await lookAtClaims(deps, plan, request)) {
    observed.set(claim, { window, sighting });
    farMemory.add({ what: claim.what, window, sighting });
  }
  const result = new Map(findings);
  for (const alike of Map.groupBy(observed.keys(), kindOf).values()) {
    const taken = edgesTaken(claims, findings, alike);
    const seen = alike.map((claim) => ({ ...claim, ...(observed.get(claim) as Omit<Observation, "edges">) }));
    const free = seenEdges(seen, durationMs, shiftMs).filter(
      ({ ms, isCutOff }) => !isCutOff && !taken.some((other) => Math.abs(ms - other) < sameMs),
    );
    for (const [claim, edge] of matchFurther(seen, free)) {
      const before = findings.get(claim.pointer);
      if (!before) continue;
      const checked = { fromMs: claim.window.fromMs, toMs: claim.window.toMs };
      result.set(claim.pointer, foundAgain(before, { claim, edge, checked }));
    }
  }
  return result;
}

type Observed = TimeClaim & Omit<Observation, "edges">;

/** Returns the edges for claims of one kind: first those at the claimed times, then the rest if it is not ambiguous. */
function matchFurther(claims: readonly Observed[], free: readonly SeenEdge[]): [Observed, SeenEdge | undefined][] {
  const sorted = claims.toSorted((a, b) => a.fromMs - b.fromMs);
  const isShown = ({ window }: Observed, { ms }: SeenEdge) => ms >= window.fromMs && ms <= window.toMs;
  const here = assignPoints(sorted, free, (claim, edge) => {
    const apart = distance(claim, edge);
    return apart <= toleranceMs ? apart : undefined;
  });
  const lost = sorted.filter((_, index) => !here[index]);
  const rest = free.filter((edge) => !here.includes(edge));
  const there = assignPoints(lost, rest, (claim, edge) => (isShown(claim, edge) ? distance(claim, edge) : undefined));
  return sorted.map((claim, index) => {
    const isAmbiguous = rest.filter((edge) => isShown(claim, edge)).length > lost.length;
    return [claim, here[index] ?? (isAmbiguous ? undefined : there[lost.indexOf(claim)])];
  });
}

type Look = { claim: Observed; edge: SeenEdge | undefined; checked: NonNullable<TimeFinding["checked"]> };

function foundAgain(before: TimeFinding, { claim, edge, checked }: Look): TimeFinding {
  if (edge) {
    const verdict = distance(claim, edge) <= toleranceMs ? "confirmed" : "moved";
    return { ...before, verdict, spans: [edge.span], checked };
  }
  // The second look at the same place was unclear, so nothing is certain.
  return claim.sighting.seen === "unclear" ? { ...before, verdict: "unconfirmed" } : { ...before, checked };
}

function kindOf({ what, edge }: TimeClaim): string {
  return `${edge} ${what}`;
}

/** Returns the edges that other claims of the same kind have, in milliseconds. */
function edgesTaken(
  claims: readonly TimeClaim[],
  findings: ReadonlyMap<string, TimeFinding>,
  alike: readonly TimeClaim[],
): number[] {
  const kind = alike[0] && kindOf(alike[0]);
  return claims.flatMap((claim) => {
    const found = findings.get(claim.pointer);
    if (kindOf(claim) !== kind || !found || found.verdict === "contradicted") return [];
    const edgeOf = ({ startMs, endMs }: Span) => (claim.edge === "start" ? startMs : endMs);
    return found.spans.length > 0 ? found.spans.map(edgeOf) : [claim.fromMs];
  });
}
