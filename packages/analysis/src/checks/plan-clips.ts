import { createHash } from "node:crypto";
import type { Budget } from "./budget.ts";
import type { ClipWindow } from "./clip-question.ts";

/** A plan with its clips, each with its estimated price in dollars. */
export type ChosenPlan<Claim> = {
  framesPerSecond: number;
  clips: (PlannedClip<Claim> & { dollars: number })[];
};

/**
 * How to look: with how many pictures, in clips of what length, and how far around a claim (ten seconds by default).
 */
export type Plan = { framesPerSecond: number; maxLengthMs: number; reachMs?: number };

/** The plans, best first: short clips with many pictures show most, long clips with few cost least. */
const nearPlans: readonly Plan[] = [
  { framesPerSecond: 5, maxLengthMs: 32_000 },
  { framesPerSecond: 4, maxLengthMs: 32_000 },
  { framesPerSecond: 3, maxLengthMs: 45_000 },
  { framesPerSecond: 2, maxLengthMs: 60_000 },
  { framesPerSecond: 2, maxLengthMs: 90_000 },
  { framesPerSecond: 1, maxLengthMs: 120_000 },
];

/** The largest number of questions about one clip, so that its schema stays small. */
const maxQuestions = 12;

type PlanBounds = {
  budget: Pick<Budget, "priceOf">;
  durationMs: number;
  /** The price that the plan should have, and the price that it may have if no plan is that cheap. */
  maxDollars: number;
  mostDollars?: number;
  plans?: readonly Plan[];
};

/**
 * Returns the best plan within the budget, the clips first that show the most for their price. If no plan fits, returns the one that shows most claims for the budget; then
 * some clips are not looked at.
 */
export function choosePlan<Claim extends PlannedClaim>(
  claims: readonly Claim[],
  { budget, maxDollars, mostDollars = maxDollars, durationMs, plans = nearPlans }: PlanBounds,
): ChosenPlan<Claim> {
  const priced = plans.map(({ framesPerSecond, ...length }) => {
    const clips = planClips(claims, { durationMs, ...length })
      .flatMap(splitQuestions)
      .map((clip) => ({ ...clip, dollars: priceOf(clip, framesPerSecond, budget) }))
      .sort((a, b) => a.dollars / a.claims.length - b.dollars / b.claims.length);
    return { framesPerSecond, clips, dollars: clips.reduce((sum, { dollars }) => sum + dollars, 0) };
  });
  const affordable = priced.find(({ dollars }) => dollars <= maxDollars);
  const most = priced.reduce((a, b) =>
    claimsWithin(b.clips, mostDollars) >= claimsWithin(a.clips, mostDollars) ? b : a,
  );
  return affordable ?? most;
}

/** Returns how many claims the clips show that a budget pays for, in order. */
function claimsWithin<Claim>(clips: ChosenPlan<Claim>["clips"], maxDollars: number): number {
  const paid = { dollars: 0, claims: 0 };
  for (const { dollars, claims } of clips) {
    if (paid.dollars + dollars > maxDollars) continue;
    paid.dollars += dollars;
    paid.claims += claims.length;
  }
  return paid.claims;
}

function priceOf<Claim extends PlannedClaim>(
  { window, claims }: PlannedClip<Claim>,
  framesPerSecond: number,
  budget: PlanBounds["budget"],
): number {
  const asked = [...new Set(claims.map(({ what }) => what))];
  const textLength = asked.reduce((sum, what) => sum + what.length, 0);
  const lengthMs = window.toMs - window.fromMs;
  return budget.priceOf({ lengthMs, framesPerSecond, questions: asked.length, textLength });
}

/** Splits a clip with too many different questions into several about the same part. */
function splitQuestions<Claim extends PlannedClaim>({ window, claims }: PlannedClip<Claim>): PlannedClip<Claim>[] {
  const asked = [...new Set(claims.map(({ what }) => what))];
  const parts = Math.ceil(asked.length / maxQuestions);
  return Array.from({ length: parts }, (_, part) => {
    const own = new Set(asked.slice(part * maxQuestions, (part + 1) * maxQuestions));
    return { window, claims: claims.filter(({ what }) => own.has(what)) };
  });
}

/** How far to look before and after a claim, in milliseconds. */
const nearMs = 10_000;
const maxShiftMs = 1_500;

/** A claim that a clip has to show, with the facts that planning needs. */
export type PlannedClaim = { pointer: string; what: string; fromMs: number; toMs: number };

/** A clip to look at, and its claims. */
type PlannedClip<Claim> = { window: ClipWindow; claims: Claim[] };

/**
 * Returns the part of the video to look at for one claim: ten seconds on each side, or `reachMs`, and a little more, so
 * that the middle of a clip does not reveal the claim. The same claim always gets the same part.
 */
export function windowOf(
  { what, fromMs, toMs }: Omit<PlannedClaim, "pointer">,
  durationMs: number,
  reachMs: number = nearMs,
): ClipWindow {
  const [before = 0, after = 0] = createHash("sha256").update(`${what} ${fromMs}`).digest();
  const shift = (byte: number) => (byte / 255) * maxShiftMs;
  // A clip that begins on a whole second has a picture at the start of each second, at any number of pictures a second.
  return {
    fromMs: Math.max(0, Math.floor((fromMs - reachMs - shift(before)) / 1000) * 1000),
    toMs: Math.min(durationMs, Math.ceil((toMs + reachMs + shift(after)) / 1000) * 1000),
  };
}

/** Returns the clips that show all claims. Nearby claims share a clip, up to a length of `maxLengthMs`. */
function planClips<Claim extends PlannedClaim>(
  claims: readonly Claim[],
  { durationMs, maxLengthMs, reachMs }: { durationMs: number; maxLengthMs: number; reachMs?: number },
): PlannedClip<Claim>[] {
  const clips: PlannedClip<Claim>[] = [];
  for (const claim of [...claims].sort((a, b) => a.fromMs - b.fromMs)) {
    const own = windowOf(claim, durationMs, reachMs);
    const last = clips.at(-1);
    const joined = last && {
      fromMs: Math.min(last.window.fromMs, own.fromMs),
      toMs: Math.max(last.window.toMs, own.toMs),
    };
    if (last && joined && own.fromMs < last.window.toMs && joined.toMs - joined.fromMs <= maxLengthMs) {
      last.window = joined;
      last.claims.push(claim);
    } else clips.push({ window: own, claims: [claim] });
  }
  return clips;
}

/** The length of a window, and the length of its overlap with the next one. */
export const windowLengthMs = 120_000;
const overlapMs = 20_000;

/**
 * Returns overlapping windows that cover a part of a video, in order. Returns an empty list for a part that fits into
 * one.
 */
export function planWindows({ fromMs, toMs }: ClipWindow): ClipWindow[] {
  if (toMs - fromMs <= windowLengthMs) return [];
  const stepMs = windowLengthMs - overlapMs;
  return Array.from({ length: Math.ceil((toMs - fromMs - overlapMs) / stepMs) }, (_, index) => ({
    fromMs: fromMs + index * stepMs,
    toMs: Math.min(toMs, fromMs + index * stepMs + windowLengthMs),
  }));
}
