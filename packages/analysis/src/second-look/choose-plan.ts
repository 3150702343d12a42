import { estimateTokens, type Rates } from "./estimate-tokens.ts";
import { type PlannedClaim, type PlannedClip, planClips } from "./plan-clips.ts";

/** A plan with its clips, each with its estimated price in tokens. */
export type ChosenPlan<Claim> = {
  framesPerSecond: number;
  clips: (PlannedClip<Claim> & { tokens: number })[];
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
  rates: Rates;
  durationMs: number;
  /** The price that the plan should have, and the price that it may have if no plan is that cheap. */
  maxTokens: number;
  mostTokens?: number;
  plans?: readonly Plan[];
};

/**
 * Returns the best plan within the budget. If no plan fits, returns the one that shows most claims for the budget; then
 * some clips are not looked at.
 */
export function choosePlan<Claim extends PlannedClaim>(
  claims: readonly Claim[],
  { rates, maxTokens, mostTokens = maxTokens, durationMs, plans = nearPlans }: PlanBounds,
): ChosenPlan<Claim> {
  const priced = plans.map(({ framesPerSecond, ...length }) => {
    const clips = planClips(claims, { durationMs, ...length })
      .flatMap(splitQuestions)
      .map((clip) => ({ ...clip, tokens: priceOf(clip, framesPerSecond, rates) }));
    return { framesPerSecond, clips, tokens: clips.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
  const affordable = priced.find(({ tokens }) => tokens <= maxTokens);
  const most = priced.reduce((a, b) => (claimsWithin(b.clips, mostTokens) > claimsWithin(a.clips, mostTokens) ? b : a));
  return affordable ?? most;
}

/** Returns how many claims the clips show that a budget pays for, in order. */
function claimsWithin<Claim>(clips: ChosenPlan<Claim>["clips"], maxTokens: number): number {
  const paid = { tokens: 0, claims: 0 };
  for (const { tokens, claims } of clips) {
    if (paid.tokens + tokens > maxTokens) continue;
    paid.tokens += tokens;
    paid.claims += claims.length;
  }
  return paid.claims;
}

function priceOf<Claim extends PlannedClaim>(
  { window, claims }: PlannedClip<Claim>,
  framesPerSecond: number,
  rates: Rates,
): number {
  const asked = [...new Set(claims.map(({ what }) => what))];
  const textLength = asked.reduce((sum, what) => sum + what.length, 0);
  const lengthMs = window.toMs - window.fromMs;
  return estimateTokens(rates, { lengthMs, framesPerSecond, questions: asked.length, textLength });
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
