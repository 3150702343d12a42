import type { TimeClaim } from "@video-to-json/schema";
import { agreeOnTimes } from "./agree-on-times.ts";
import type { ClipDeps } from "./ask-clips.ts";
import { calibrate } from "./calibrate.ts";
import { distance, judgeTimes, type TimeFinding, toleranceMs } from "./judge-times.ts";
import { lookAtClaims, type Observation, type TimesRun } from "./look-at-claims.ts";
import { type ChosenPlan, choosePlan } from "./plan-clips.ts";
import { searchFurther } from "./search-further.ts";
import type { Witness } from "./witness.ts";

/**
 * The share of the budget for the first look near the claims. Most of the rest is for the looks that have to agree with it: they
 * are what moves a time.
 */
const nearShare = 0.2;

/**
 * Looks at each claimed time again, in narrow clips that nearby claims share. A time that is heard where it is claimed needs no
 * look. For claims that the clips contradict, it also looks further away. What one look finds wrong, another one has to find
 * wrong too. Never rejects: without budget, time or provider, a claim is `not_checked`.
 *
 * @returns one finding for each claim, by pointer.
 */
export async function checkTimes(
  deps: ClipDeps,
  claims: readonly TimeClaim[],
  request: TimesRun,
): Promise<Map<string, TimeFinding>> {
  const { memory, durationMs, budget } = request;
  const maxDollars = budget.left();
  const observed = new Map<TimeClaim, Observation>();
  for (const claim of claims) {
    const known = memory.find(claim, durationMs);
    if (known) observed.set(claim, { ...known, edges: { cutsMs: [], silences: [] } });
  }
  const unseen = claims.filter((claim) => !observed.has(claim));
  const { open, heard } = withoutHeard(unseen, request.witness);
  const plan = choosePlan(open, { budget, durationMs, maxDollars: nearShare * maxDollars, mostDollars: maxDollars });
  const looked = await lookClearly(deps, plan, { ...request, maxDollars: nearShare * maxDollars });
  for (const [claim, observation] of looked) {
    observed.set(claim, observation);
    const { window, sighting } = observation;
    memory.add({ what: claim.what, window, sighting });
  }
  const certain = claims.filter(({ mayBeEnd }) => !mayBeEnd);
  const asSeen = judgeAll(claims, observed, { durationMs, shiftMs: 0 });
  const { shiftMs, leastMoveMs } = calibrate({ claims: certain, findings: asSeen }, request.shifts);
  const alone = shiftMs === 0 ? asSeen : judgeAll(claims, observed, { durationMs, shiftMs });
  const first = withEitherEdge(claims, withOtherEdges(claims, alone, durationMs), observed);
  for (const { pointer } of heard) first.set(pointer, { ...notChecked, verdict: "confirmed" });
  const run = { ...request, shiftMs, leastMoveMs };
  const near = await agreeOnTimes(deps, { claims: certain, findings: first }, { ...run, once: new Set() });
  const searched = await searchFurther(deps, { claims, findings: near }, run);
  const sure = plan.framesPerSecond < enoughPictures ? withDoubt(searched, claims, looked) : searched;
  // The search writes the part that it has seen.
  const once = claims.filter(({ pointer }) => sure.get(pointer)?.checked === first.get(pointer)?.checked);
  const found = {
    claims: claims.filter(({ pointer }) => near.get(pointer)?.verdict === "contradicted"),
    findings: sure,
  };
  return agreeOnTimes(deps, found, { ...run, once: new Set(once.map(({ pointer }) => pointer)) });
}

/** How many looks at times that are known to be right show how the model errs. */
const enoughKnown = 4;

/**
 * Returns the claims to look at, and those that need no look because a witness hears them where they are claimed. A few of the
 * latter, near the others, are looked at too: they show whether the model sees everything late.
 */
function withoutHeard(claims: readonly TimeClaim[], witness: Witness | undefined) {
  const isHeard = (claim: TimeClaim) => {
    const ms = witness?.heard(claim);
    return ms !== undefined && distance(claim, { ms }) <= toleranceMs;
  };
  const [known, doubted] = [claims.filter(isHeard), claims.filter((claim) => !isHeard(claim))];
  if (doubted.length === 0) return { open: [], heard: known };
  const apartMs = (claim: TimeClaim) => Math.min(...doubted.map(({ fromMs }) => Math.abs(fromMs - claim.fromMs)));
  const nearest = known.toSorted((a, b) => apartMs(a) - apartMs(b));
  return { open: [...doubted, ...nearest.slice(0, enoughKnown)], heard: nearest.slice(enoughKnown) };
}

/** If more answers than this share are unclear, the model cannot read clips. */
const mostUnclear = 0.5;
/** How much later the other clip begins, in milliseconds. */
const otherClipMs = 3000;

/** Looks at the clips of a plan, and at another clip for each claim about which the answer is unclear. */
async function lookClearly(
  deps: ClipDeps,
  plan: ChosenPlan<TimeClaim>,
  { maxDollars, ...request }: TimesRun & { maxDollars: number },
): Promise<Map<TimeClaim, Observation>> {
  const looked = await lookAtClaims(deps, plan, request);
  const unclear = [...looked].flatMap(([claim, { sighting }]) => (sighting.seen === "unclear" ? [claim] : []));
  if (unclear.length > mostUnclear * looked.size) return looked;
  const shift = ({ fromMs, toMs }: TimeClaim) => ({ fromMs: fromMs + otherClipMs, toMs: toMs + otherClipMs });
  const asked = new Map(unclear.map((claim) => [{ ...claim, ...shift(claim) }, claim]));
  const { budget, durationMs } = request;
  const again = await lookAtClaims(deps, choosePlan([...asked.keys()], { budget, durationMs, maxDollars }), request);
  for (const [claim, observation] of again) looked.set(asked.get(claim) ?? claim, observation);
  return looked;
}

/** So near the edge of a clip, an event may go on beyond it. */
const atEdgeMs = 500;

/**
 * Finds the contradicted edge of an event whose other edge was seen: where the same clip shows the whole event, the edge is
 * there.
 */
function withOtherEdges(
  claims: readonly TimeClaim[],
  findings: ReadonlyMap<string, TimeFinding>,
  durationMs: number,
): Map<string, TimeFinding> {
  const result = new Map(findings);
  for (const { pointer, otherEdge, edge } of claims) {
    const other = otherEdge === null ? undefined : findings.get(otherEdge);
    const isSeen = other?.verdict === "confirmed" || other?.verdict === "moved";
    const [span] = other?.spans ?? [];
    if (findings.get(pointer)?.verdict !== "contradicted" || !isSeen || !other.checked || !span) continue;
    const { fromMs, toMs } = other.checked;
    const isWhole =
      edge === "end"
        ? span.endMs < toMs - atEdgeMs || toMs >= durationMs
        : span.startMs > fromMs + atEdgeMs || fromMs === 0;
    if (isWhole) result.set(pointer, { ...other, verdict: "moved" });
  }
  return result;
}

/**
 * A time that may be an end is confirmed where the clip shows a start or an end. Elsewhere nobody knows which of both to look
 * for, so it is neither moved nor contradicted.
 */
function withEitherEdge(
  claims: readonly TimeClaim[],
  findings: Map<string, TimeFinding>,
  observed: ReadonlyMap<TimeClaim, Observation>,
): Map<string, TimeFinding> {
  for (const claim of claims) {
    const finding = findings.get(claim.pointer);
    if (!claim.mayBeEnd || (finding?.verdict !== "moved" && finding?.verdict !== "contradicted")) continue;
    const spans = observed.get(claim)?.sighting.spans ?? [];
    const isSeen = spans.some(({ endMs }) => distance(claim, { ms: endMs }) <= toleranceMs);
    findings.set(claim.pointer, { ...finding, verdict: isSeen ? "confirmed" : "unconfirmed", spans });
  }
  return findings;
}

/** With fewer pictures a second, a clip can miss an event shorter than `shortMs`. */
const enoughPictures = 2;
const shortMs = 3000;

/** Drops contradictions about events that may be too short for the pictures, because not seeing them proves little. */
function withDoubt(
  findings: Map<string, TimeFinding>,
  claims: readonly TimeClaim[],
  looked: ReadonlyMap<TimeClaim, Observation>,
): Map<string, TimeFinding> {
  const byPointer = new Map(claims.map((claim) => [claim.pointer, claim]));
  const result = new Map(findings);
  for (const { pointer, otherEdge, fromMs } of looked.keys()) {
    const finding = findings.get(pointer);
    if (finding?.verdict !== "contradicted" || finding.spans.length > 0) continue;
    const other = otherEdge === null ? undefined : byPointer.get(otherEdge);
    if (other && Math.abs(other.fromMs - fromMs) >= shortMs) continue;
    result.set(pointer, { ...finding, verdict: "unconfirmed" });
  }
  return result;
}

export const notChecked: TimeFinding = { verdict: "not_checked", spans: [], checked: null, nearestCutMs: null };

/**
 * Returns the findings. Compares all starts of the same kind of event together over all clips, and likewise all ends: a
 * start and its end are edges of one sighting, and two claims do not share an edge.
 */
function judgeAll(
  claims: readonly TimeClaim[],
  observed: ReadonlyMap<TimeClaim, Observation>,
  { durationMs, shiftMs }: { durationMs: number; shiftMs: number },
): Map<string, TimeFinding> {
  const findings = new Map<string, TimeFinding>(claims.map(({ pointer }) => [pointer, notChecked]));
  for (const alike of Map.groupBy(observed.keys(), ({ what, edge }) => `${edge} ${what}`).values()) {
    const seen = alike.flatMap((claim) => {
      const observation = observed.get(claim);
      return observation ? [{ ...claim, ...observation }] : [];
    });
    for (const [index, finding] of judgeTimes(seen, durationMs, shiftMs).entries()) {
      const claim = seen[index];
      if (claim) findings.set(claim.pointer, { ...finding, nearestCutMs: nearestCut(claim, finding) });
    }
  }
  return findings;
}

/** Returns the measured cut, or edge of a silence, that is nearest to the checked time. */
function nearestCut(
  { edge, fromMs, edges: { cutsMs, silences } }: TimeClaim & Observation,
  { verdict, spans: [seen] }: Pick<TimeFinding, "verdict" | "spans">,
): number | null {
  const seenMs = edge === "end" ? seen?.endMs : seen?.startMs;
  const at = (verdict === "moved" ? seenMs : undefined) ?? fromMs;
  const edges = [...cutsMs, ...silences.flatMap((silence) => [silence.fromMs, silence.toMs])];
  return edges.reduce<number | null>((best, ms) => {
    return best === null || Math.abs(ms - at) < Math.abs(best - at) ? ms : best;
  }, null);
}
