import { estimateTokens, type Rates } from "./estimate-tokens.ts";
import { type PlannedClaim, type PlannedClip, planClips } from "./plan-clips.ts";

/** A plan with its clips, each with its estimated price in tokens. */
export type ChosenPlan<Claim> = {
  framesPerSecond: number;
  clips: (PlannedClip<Claim> & { tokens: number })[];
};

/** The plans, the best one first: short clips with many pictures show most, long ones with few cost least. */
const plans = [
  { framesPerSecond: 5, maxLengthMs: 32_000 },
  { framesPerSecond: 4, maxLengthMs: 32_000 },
  { framesPerSecond: 3, maxLengthMs: 45_000 },
  { framesPerSecond: 2, maxLengthMs: 60_000 },
  { framesPerSecond: 2, maxLengthMs: 90_000 },
  { framesPerSecond: 1, maxLengthMs: 120_000 },
] as const;

/** The largest number of questions about one clip, so that its schema stays small. */
const maxQuestions = 12;

/** Returns the best plan within the budget, or the cheapest one, whose last clips may then have no budget left. */
export function choosePlan<Claim extends PlannedClaim>(
  claims: readonly Claim[],
  { rates, maxTokens, durationMs }: { rates: Rates; maxTokens: number; durationMs: number },
): ChosenPlan<Claim> {
  const priced = plans.map(({ framesPerSecond, maxLengthMs }) => {
    const clips = planClips(claims, { durationMs, maxLengthMs })
      .flatMap(splitQuestions)
      .map((clip) => ({ ...clip, tokens: priceOf(clip, framesPerSecond, rates) }));
    return { framesPerSecond, clips, tokens: clips.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
  const affordable = priced.find(({ tokens }) => tokens <= maxTokens);
  const cheapest = priced.reduce((a, b) => (b.tokens < a.tokens ? b : a));
  return affordable ?? cheapest;
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
