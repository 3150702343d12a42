import type { TokenCount } from "../analysis-provider.ts";

/** The price of a clip, derived from the price of the whole video with one picture a second. */
export type Rates = { perPicture: number; soundPerSecond: number };

/** Gemini's published rates, for a provider that does not count. */
const usualRates: Rates = { perPicture: 70, soundPerSecond: 32 };
/** The rules, the window and the schema around the questions; one question with its answer. */
const frameTokens = 900;
const questionTokens = 260;

/** Returns the rates of the provider and its model. */
export function ratesOf(whole: TokenCount | undefined, durationMs: number): Rates {
  if (!whole || whole.video === 0) return usualRates;
  const seconds = Math.max(1, durationMs / 1000);
  return { perPicture: whole.video / seconds, soundPerSecond: whole.audio / seconds };
}

/** Returns an upper estimate of the price of a question about a clip. */
export function estimateTokens(
  rates: Rates,
  clip: { lengthMs: number; framesPerSecond: number; questions: number; textLength: number },
): number {
  const seconds = Math.ceil(clip.lengthMs / 1000);
  const seen = seconds * (clip.framesPerSecond * rates.perPicture + rates.soundPerSecond);
  // Both the prompt and the schema contain the questions. Four characters are about one token.
  return Math.ceil(seen + frameTokens + clip.questions * questionTokens + clip.textLength / 2);
}
