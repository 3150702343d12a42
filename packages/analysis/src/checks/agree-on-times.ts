import type { TimeClaim } from "@video-to-json/schema";
import type { ClipDeps } from "./ask-clips.ts";
import type { ClipWindow } from "./clip-question.ts";
import { distance, type Span, seenEdges, type TimeFinding } from "./judge-times.ts";
import { lookAtClaims, type Observation, type TimesRun } from "./look-at-claims.ts";
import { choosePlan, type Plan, windowOf } from "./plan-clips.ts";

type Judged = { claims: readonly TimeClaim[]; findings: ReadonlyMap<string, TimeFinding> };

/** Two looks see the same edge if they are this close. */
const agreeMs = 1_000;
/** An answer this near to what the looks see stays: people differ by that much about when something begins. */
const nearMs = 2_000;
/** A model that counts from the start of a clip gives the same wrong time in clips that start together. */
const apartMs = 3_000;
/** A shift of this size that so many edges share, and such a part of all edges, is the model's, not the answer's. */
const leastShiftMs = 1_200;
const mostShiftMs = 3_500;
const leastEdges = 3;
const sharedBy = 0.33;
/** The second of two looks is narrow: it only has to show what the first has seen. */
const narrowPlans: readonly Plan[] = [
  { framesPerSecond: 5, maxLengthMs: 20_000, reachMs: 5_000 },
  { framesPerSecond: 2, maxLengthMs: 24_000, reachMs: 5_000 },
  { framesPerSecond: 1, maxLengthMs: 40_000, reachMs: 4_000 },
];

/**
 * Looks once more, in another narrow window, at each time that one look wants to move or to contradict (docs/decisions/0001,
 * "Second look"). A time moves only if both looks see it within a second of each other and more than two seconds from the
 * answer. It is contradicted only if neither sees it where it was claimed. Otherwise it is `unconfirmed`, with what was seen.
 *
 * @param request `once`: the pointers of contradicted times that only one look has seen. `isShifted`: the model sees most times
 *   later, or most of them earlier, so none moves.
 */
export async function agreeOnTimes(
  deps: ClipDeps,
  { claims, findings }: Judged,
  { once, isShifted, ...request }: TimesRun & { once: ReadonlySet<string>; isShifted: boolean },
): Promise<Map<string, TimeFinding>> {
  const { budget, durationMs } = request;
  const result = new Map(findings);
  const open = claims.flatMap((claim) => {
    const finding = findings.get(claim.pointer);
    const isContradicted = finding?.verdict === "contradicted" && once.has(claim.pointer);
    if (!finding || !(finding.verdict === "moved" || isContradicted)) return [];
    const seenMs = isContradicted ? undefined : edgeOf(claim, finding.spans[0]);
    result.set(claim.pointer, { ...finding, verdict: "unconfirmed" });
    if (seenMs !== undefined && (isShifted || distance(claim, { ms: seenMs }) <= nearMs)) return [];
    return [
      { claim: elsewhere(claim, finding.checked, seenMs ?? claim.fromMs, durationMs), asked: claim, finding, seenMs },
    ];
  });
  const planned = open.map(({ claim }) => claim);
  const plan = choosePlan(planned, { budget, durationMs, maxDollars: budget.left(), plans: narrowPlans });
  const looked = await lookAtClaims(deps, plan, request);
  for (const { claim, asked, finding, seenMs } of open) {
    const observation = looked.get(claim);
    if (observation) result.set(asked.pointer, agreed({ asked, finding, seenMs }, observation, durationMs));
  }
  return result;
}

/** Returns a claim whose window starts elsewhere than that of the first look. */
function elsewhere(claim: TimeClaim, first: ClipWindow | null, ms: number, durationMs: number): TimeClaim {
  const moved = { ...claim, fromMs: ms, toMs: ms };
  const window = windowOf(moved, durationMs, narrowPlans[0]?.reachMs);
  return first && Math.abs(window.fromMs - first.fromMs) < apartMs
    ? { ...moved, fromMs: Math.max(0, ms - apartMs - 1_000) }
    : moved;
}

type FirstLook = { asked: TimeClaim; finding: TimeFinding; seenMs: number | undefined };

function agreed({ asked, finding, seenMs }: FirstLook, second: Observation, durationMs: number): TimeFinding {
  const { sighting, window } = second;
  const spans = [...finding.spans, ...sighting.spans];
  const unclear: TimeFinding = { ...finding, verdict: "unconfirmed", spans };
  if (sighting.seen === "unclear") return unclear;
  const edges = seenEdges([{ ...asked, window, sighting }], durationMs).filter(({ isCutOff }) => !isCutOff);
  if (seenMs === undefined) return edges.length === 0 ? finding : unclear;
  const same = edges.find(({ ms }) => Math.abs(ms - seenMs) <= agreeMs);
  if (!same) return unclear;
  const ms = Math.round((same.ms + seenMs) / 2);
  if (distance(asked, { ms }) <= nearMs) return unclear;
  const span = asked.edge === "start" ? { ...same.span, startMs: ms } : { ...same.span, endMs: ms };
  const checked = { fromMs: window.fromMs, toMs: window.toMs };
  return { ...finding, verdict: "moved", spans: [span], checked };
}

function edgeOf({ edge }: TimeClaim, span: Span | undefined): number | undefined {
  return edge === "start" ? span?.startMs : span?.endMs;
}

/**
 * Returns whether the looks see many times of the answer shifted by the same amount. Errors of an answer differ from each other;
 * another notion of when something begins does not.
 */
export function isShiftShared({ claims, findings }: Judged): boolean {
  const shifts = claims.flatMap((claim) => {
    const finding = findings.get(claim.pointer);
    const ms =
      finding?.verdict === "confirmed" || finding?.verdict === "moved" ? edgeOf(claim, finding.spans[0]) : undefined;
    return ms === undefined ? [] : [ms - (claim.fromMs + claim.toMs) / 2];
  });
  const alike = (ms: number) => shifts.filter((other) => Math.abs(other - ms) <= agreeMs).length;
  const most = Math.max(
    0,
    ...shifts.filter((ms) => Math.abs(ms) > leastShiftMs && Math.abs(ms) < mostShiftMs).map(alike),
  );
  return most >= leastEdges && most >= sharedBy * shifts.length;
}
