import type { TimeClaim } from "@video-to-json/schema";
import type { ClipDeps } from "./ask-clips.ts";
import { type Calibration, edgeOf, nearMs } from "./calibrate.ts";
import type { ClipWindow } from "./clip-question.ts";
import { distance, type Span, seenEdges, type TimeFinding } from "./judge-times.ts";
import { lookAtClaims, type Observation, type TimesRun } from "./look-at-claims.ts";
import { choosePlan, type Plan, windowOf } from "./plan-clips.ts";
import type { Witness } from "./witness.ts";

type Judged = { claims: readonly TimeClaim[]; findings: ReadonlyMap<string, TimeFinding> };

/** Two looks see the same edge if they are this close. */
const agreeMs = 1_000;
/** Two looks agree on a moment. A third look this near to it is a look at the same moment, too. */
const aroundMs = 2_000;
/** A recogniser may be two seconds late, and a measured edge is half a second wide. */
const measuredNearMs = 2_500;
/** A model whose clock runs wrong within a clip gives the same wrong time in clips that start together. */
const apartMs = 3_000;
/** The largest number of looks at one time, with the first one. The later ones decide if the first two disagree. */
const mostLooks = 6;
/** The further looks are narrow: they only have to show what the first has seen. */
const narrowPlans: readonly Plan[] = [
  { framesPerSecond: 5, maxLengthMs: 16_000, reachMs: 4_000 },
  { framesPerSecond: 2, maxLengthMs: 16_000, reachMs: 4_000 },
  { framesPerSecond: 1, maxLengthMs: 40_000, reachMs: 4_000 },
];
/** The share of the remaining dollars for one round of looks, if a plan is that cheap. The rest pays for further rounds. */
const roundShare = 1 / 6;
type Placing = readonly [number, number];
/** Where a narrow window lies: around what was seen, mostly before it, or mostly after it. */
const placings: readonly Placing[] = [
  [0, 0],
  [-6_000, -2_500],
  [2_500, 2_500],
];
/** Where a window lies that shows the claimed time too, which is at most `maxWideMs` away. */
const widePlacings: readonly Placing[] = [
  [0, 0],
  [-4_000, 0],
  [-2_000, 4_000],
];
/** Where the window lies if all of these begin too near the earlier windows. It begins just before what was seen. */
const lastPlacing: Placing = [3_500, 3_500];
const maxWideMs = 15_000;

type Request = TimesRun & Calibration & { once: ReadonlySet<string> };
type Look = { ms: number; span: Span; window: ClipWindow };
/** A time that one look wants to move or to contradict, and the edges that the looks saw so far. */
type OpenTime = { asked: TimeClaim; finding: TimeFinding; isLost: boolean; looks: Look[]; windows: ClipWindow[] };

/**
 * Looks up to five times more, in other narrow windows, at each time that one look wants to move or to contradict
 * (docs/decisions/0001, "Second look"). A time moves only if two looks see it within a second of each other and more than two
 * seconds from the answer. It is contradicted only if neither sees it where it was claimed. Otherwise it is `unconfirmed`, with
 * what was seen. A look that sees it where it was claimed is the last one.
 *
 * @param request `once`: the pointers of contradicted times that only one look has seen. The calibration is that of the looks.
 */
export async function agreeOnTimes(
  deps: ClipDeps,
  { claims, findings }: Judged,
  { once, shiftMs, leastMoveMs, ...request }: Request,
): Promise<Map<string, TimeFinding>> {
  const { budget, durationMs, witness } = request;
  const result = new Map(findings);
  const asked = claims.flatMap((asked): OpenTime[] => {
    const finding = findings.get(asked.pointer);
    if (!finding || finding.verdict === "confirmed") return [];
    const windows = finding.checked ? [finding.checked] : [];
    const isLost = finding.verdict === "contradicted" && once.has(asked.pointer);
    if (finding.verdict !== "moved" && !isLost) return witness ? [{ asked, finding, isLost, looks: [], windows }] : [];
    if (!finding.checked) return [];
    result.set(asked.pointer, { ...finding, verdict: "unconfirmed" });
    const [span] = isLost ? [] : finding.spans;
    const looks = span ? [{ ms: edgeOf(asked, span), span, window: finding.checked }] : [];
    return [{ asked, finding, isLost, looks, windows }];
  });
  let open: OpenTime[] = [];
  for (const time of asked) {
    const measured = witness && (await measure(witness, time, request));
    const isNear = time.looks.some((look) => distance(time.asked, look) <= leastMoveOf(look, leastMoveMs));
    if (measured) result.set(time.asked.pointer, measured);
    else if (!isNear) open.push(time);
  }
  for (let nth = 2; nth <= mostLooks && open.length > 0; nth++) {
    const planned = new Map(open.flatMap((time) => placed(time, durationMs).map((claim) => [claim, time] as const)));
    const bounds = { maxDollars: roundShare * budget.left(), mostDollars: budget.left() };
    const plan = choosePlan([...planned.keys()], { budget, durationMs, ...bounds, plans: narrowPlans });
    const looked = await lookAtClaims(deps, plan, request);
    open = [...planned].flatMap(([claim, time]) => {
      const observation = looked.get(claim);
      if (!observation) return [];
      const { finding, isOpen } = judge(time, observation, { durationMs, shiftMs, leastMoveMs });
      result.set(time.asked.pointer, finding);
      return isOpen ? [time] : [];
    });
  }
  return result;
}

/**
 * Returns what a witness and the look say together: the time is where it was claimed, or both have it at the same other time.
 * Undefined if the witness cannot decide. What it hears elsewhere is a look then.
 */
async function measure(
  witness: Witness,
  { asked, finding, looks }: OpenTime,
  run: TimesRun,
): Promise<TimeFinding | undefined> {
  const [look] = looks;
  const heardMs = witness.heard(asked);
  if (heardMs !== undefined && distance(asked, { ms: heardMs }) <= agreeMs) return { ...finding, verdict: "confirmed" };
  const claimMs = (asked.fromMs + asked.toMs) / 2;
  const movedTo = (ms: number, { span }: Look): TimeFinding => {
    const edge =
      asked.edge === "start"
        ? { startMs: ms, endMs: Math.max(ms, span.endMs) }
        : { endMs: ms, startMs: Math.min(ms, span.startMs) };
    return { ...finding, verdict: "moved", spans: [edge] };
  };
  const heard = lookOf(witness, asked);
  if (heard && look && Math.abs(look.ms - heard.ms) <= agreeMs) return movedTo(heard.ms, look);
  if (heard) looks.push(heard);
  if (heardMs !== undefined) return undefined;
  if (await witness.isEdgeAt(asked, claimMs, run)) return { ...finding, verdict: "confirmed" };
  if (look && distance(asked, look) > nearMs && (await witness.isEdgeAt(asked, look.ms, run)))
    return movedTo(look.ms, look);
  const ms = await witness.findEdge(asked, run);
  if (ms === undefined) return undefined;
  if (distance(asked, { ms }) <= agreeMs) return { ...finding, verdict: "confirmed" };
  const isFar = distance(asked, { ms }) > measuredNearMs;
  if (look && isFar && Math.abs(look.ms - ms) <= agreeMs) return movedTo(ms, look);
  if (isFar) looks.push({ ms, span: { startMs: ms, endMs: ms }, window: nowhere });
  return undefined;
}

/** Returns the place where words are heard, if it is far from the answer. It is one of the two looks that must agree. */
function lookOf(witness: Witness, asked: TimeClaim): Look | undefined {
  const ms = witness.heard(asked);
  if (ms === undefined || distance(asked, { ms }) <= measuredNearMs) return undefined;
  return { ms, span: { startMs: ms, endMs: ms }, window: nowhere };
}

/** Returns how far from the answer a time has to be seen to move. Measured times do not depend on the model. */
function leastMoveOf({ window }: Look, leastMoveMs: number): number {
  return window === nowhere ? nearMs : leastMoveMs;
}

/** The window of what was heard: far from any other. */
const nowhere: ClipWindow = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };

/**
 * Returns a claim whose narrow window shows what was seen last, and starts as far as possible from the earlier ones. If one
 * look did not see it there, the window shows the claimed time too: a model invents less where it can see the real event.
 * Returns nothing where a further look could not agree with the earlier ones, because its window would start near theirs.
 */
function placed({ asked, isLost, looks, windows }: OpenTime, durationMs: number): TimeClaim[] {
  const seenMs = looks.at(-1)?.ms ?? asked.fromMs;
  const isWide = looks.length > 0 && looks.length < windows.length && distance(asked, { ms: seenMs }) <= maxWideMs;
  const [fromMs, toMs] = isWide ? [Math.min(seenMs, asked.fromMs), Math.max(seenMs, asked.toMs)] : [seenMs, seenMs];
  const at = ([before, after]: Placing) => ({
    ...asked,
    fromMs: Math.max(0, fromMs + before),
    toMs: Math.max(0, toMs + after),
  });
  const windowAt = (claim: TimeClaim) => windowOf(claim, durationMs, narrowPlans[0]?.reachMs);
  const apart = (claim: TimeClaim) => {
    const { fromMs } = windowAt(claim);
    return Math.min(...windows.map((window) => Math.abs(window.fromMs - fromMs)));
  };
  const farthest = (isWide ? widePlacings : placings)
    .map(at)
    .reduce((best, claim) => (apart(claim) > apart(best) ? claim : best));
  if (isLost) return [farthest];
  const canAgree = (claim: TimeClaim) => looks.some(({ window }) => isApart(window, windowAt(claim)));
  return [farthest, at(lastPlacing)].filter((claim) => apart(claim) > 0 && canAgree(claim)).slice(0, 1);
}

/** Adds a look to those at a time, and returns what they show together. */
function judge(
  time: OpenTime,
  { sighting, window }: Observation,
  { durationMs, shiftMs, leastMoveMs }: { durationMs: number } & Calibration,
): { finding: TimeFinding; isOpen: boolean } {
  const { asked, finding, isLost, looks, windows } = time;
  const edges = seenEdges([{ ...asked, window, sighting }], durationMs, shiftMs).filter(
    ({ isCutOff, span }) => !isCutOff && !(span.startMs <= window.fromMs && span.endMs >= window.toMs),
  );
  const unclear: TimeFinding = {
    ...finding,
    verdict: "unconfirmed",
    spans: [...looks, ...edges].map(({ span }) => span),
  };
  if (isLost && looks.length === 0) {
    const isGone = sighting.seen !== "unclear" && edges.length === 0;
    return { finding: isGone ? finding : unclear, isOpen: false };
  }
  const seen = edges.map(({ ms, span }) => ({ ms, span, window }));
  for (const now of seen) {
    const before = looks.find((look) => Math.abs(look.ms - now.ms) <= agreeMs && isApart(look.window, window));
    if (!before) continue;
    const pairMs = (before.ms + now.ms) / 2;
    const around = [...looks, now].filter((look) => Math.abs(look.ms - pairMs) <= aroundMs);
    // Measured words have better times than pictures.
    const mean = Math.round(around.reduce((sum, look) => sum + look.ms, 0) / around.length);
    const ms = before.window === nowhere ? before.ms : mean;
    const leastMs = leastMoveOf(before, leastMoveMs);
    if (around.some((look) => distance(asked, look) <= leastMs)) return { finding: unclear, isOpen: false };
    const span = asked.edge === "start" ? { ...now.span, startMs: ms } : { ...now.span, endMs: ms };
    const checked = { fromMs: window.fromMs, toMs: window.toMs };
    return { finding: { ...finding, verdict: "moved", spans: [span], checked }, isOpen: false };
  }
  looks.push(...seen);
  windows.push(window);
  return { finding: unclear, isOpen: !seen.some((look) => distance(asked, look) <= nearMs) };
}

function isApart(one: ClipWindow, other: ClipWindow): boolean {
  return Math.abs(one.fromMs - other.fromMs) >= apartMs;
}
