import type { TokenCount, VideoRun } from "../analysis-provider.ts";

/** The tokens that one kind of check may use in a job, and the price of its clips. The budget treats reserved tokens as spent. */
export type Budget = {
  readonly maxTokens: number;
  /** Returns an upper estimate of the price of a question about a clip. */
  priceOf(clip: PricedClip): number;
  /** Takes tokens before a question. If they are not available, takes nothing and returns false. */
  reserve(tokens: number): boolean;
  /** Replaces the reserved tokens of a question by the used ones. */
  settle(reserved: number, spent: number): void;
  /**
   * Reserves the price of a further attempt and its checks.
   *
   * @returns a function that replaces the reserved tokens by the used ones; undefined if the budget is too small.
   */
  reserveAttempt(): ((spent: number) => void) | undefined;
  spent(): number;
  left(): number;
};

type PricedClip = { lengthMs: number; framesPerSecond: number; questions: number; textLength: number };

/** Twice the tokens of the first pass. */
const budgetFactor = 2;
/** A further attempt costs more than the first, because its prompt contains the earlier answer and its violations. */
const attemptFactor = 1.1;
/** An estimate of the first pass, for a provider that does not count: tokens per second of video, and for the prompt. */
const guess = { perSecond: 102, prompt: 1500 };
/** Gemini's published rates, for a provider that does not count. */
const usualRates = { perPicture: 70, soundPerSecond: 32 };
/** The tokens of a question about a clip without the clip: its rules and schema; each thing to look for, with its answer. */
const frameTokens = 900;
const questionTokens = 260;

/**
 * Opens a budget of twice the real or estimated price of the first pass.
 *
 * @param firstPass the price of the first answer about the whole file.
 * @param seenMs the length of that file.
 */
export function openBudget(firstPass: TokenCount | undefined, seenMs: number): Budget {
  const maxTokens = budgetFactor * (firstPass?.total ?? Math.round((seenMs / 1000) * guess.perSecond + guess.prompt));
  const rates = ratesOf(firstPass, seenMs);
  let taken = 0;
  const left = () => maxTokens - taken;
  const reserve = (tokens: number) => {
    if (tokens > left()) return false;
    taken += tokens;
    return true;
  };
  const settle = (reserved: number, spent: number) => {
    taken += spent - reserved;
  };
  return {
    maxTokens,
    priceOf({ lengthMs, framesPerSecond, questions, textLength }) {
      const seconds = Math.ceil(lengthMs / 1000);
      const seen = seconds * (framesPerSecond * rates.perPicture + rates.soundPerSecond);
      // Both the prompt and the schema contain the questions. Four characters are about one token.
      return Math.ceil(seen + frameTokens + questions * questionTokens + textLength / 2);
    },
    reserve,
    settle,
    reserveAttempt() {
      const reserved = attemptFactor * (maxTokens / budgetFactor);
      // The further attempt needs its checks too; otherwise nothing shows whether it is better. They ask only new
      // questions.
      if (left() < reserved + taken / 2 || !reserve(reserved)) return undefined;
      return (spent) => settle(reserved, spent);
    },
    spent: () => taken,
    left,
  };
}

/** Returns the price of a picture and of a second of sound, from the price of the file with one picture a second. */
function ratesOf(firstPass: TokenCount | undefined, seenMs: number): typeof usualRates {
  if (!firstPass || firstPass.video === 0) return usualRates;
  const seconds = Math.max(1, seenMs / 1000);
  return { perPicture: firstPass.video / seconds, soundPerSecond: (firstPass.audio ?? 0) / seconds };
}

const maxCheckMs = 60_000;

/** Returns the run of one check: a minute at most, and at most this share of the time that the job has left. */
export function shareOf({ signal, deadline }: VideoRun, share: number): VideoRun {
  const ms = Math.max(0, Math.min(maxCheckMs, (deadline.getTime() - Date.now()) * share));
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.floor(ms))]),
    deadline: new Date(Date.now() + ms),
  };
}
