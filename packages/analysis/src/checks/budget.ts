import { steadyNow } from "@video-to-json/runtime/timing";
import type { Rates, TokenCount, VideoRun } from "../analysis-provider.ts";

/** The dollars that one kind of check may spend in a job, and the price of its clips. Reserved dollars count as spent. */
export type Budget = {
  readonly maxDollars: number;
  readonly rates: Rates;
  /** Returns an upper estimate of the price of a question about a clip. */
  priceOf(clip: PricedClip): number;
  /** Takes dollars before a question. If they are not available, takes nothing and returns false. */
  reserve(dollars: number): boolean;
  /** Replaces the reserved dollars of a question by its price. */
  settle(reserved: number, spent: number): void;
  /**
   * Reserves the price of a further attempt and its checks.
   *
   * @returns a function that replaces the reserved dollars by the spent ones; undefined if the budget is too small.
   */
  reserveAttempt(): ((spent: number) => void) | undefined;
  /** What a further attempt needs, without its checks. */
  readonly attemptDollars: number;
  spent(): number;
  left(): number;
};

type PricedClip = { lengthMs: number; framesPerSecond: number; questions: number; textLength: number };

/** Twice the price of the first pass. */
const budgetFactor = 2;
/** A further attempt costs more than the first, because its prompt contains the earlier answer and its violations. */
const attemptFactor = 1.1;
const perMillion = 1_000_000;
/** Google's published prices and rates of the small model, for a provider that does not count. */
const usualRates: Rates = {
  picture: (70 * 0.3) / perMillion,
  soundSecond: (32 * 0.3) / perMillion,
  input: 0.3 / perMillion,
  output: 2.5 / perMillion,
};
/** An estimate of the tokens of the first pass besides its pictures and sound. */
const guess = { prompt: 1500, answer: 300 };
/** The tokens of a question about a clip without the clip: its rules and schema; each thing to look for; its answer. */
const frameTokens = 900;
const questionTokens = 220;
const answerTokens = 40;

/**
 * Opens a budget of some times the real or estimated price of the first pass, twice if not given.
 *
 * @param firstPass the price of the first answer about the whole file.
 * @param seenMs the length of that file.
 * @param options `factor`: how many times that price the budget has. `least`: what it has in any case, in dollars.
 */
export function openBudget(
  firstPass: TokenCount | undefined,
  seenMs: number,
  options: { factor?: number; least?: number } = {},
): Budget {
  const { factor = budgetFactor, least = 0 } = options;
  const rates = firstPass?.rates ?? usualRates;
  const guessed = (seenMs / 1000) * (rates.picture + rates.soundSecond) + guess.prompt * rates.input;
  const first = firstPass?.dollars ?? guessed + guess.answer * rates.output;
  const maxDollars = Math.max(least, factor * first);
  let taken = 0;
  const left = () => maxDollars - taken;
  const reserve = (dollars: number) => {
    if (dollars > left()) return false;
    taken += dollars;
    return true;
  };
  const settle = (reserved: number, spent: number) => {
    taken += spent - reserved;
  };
  return {
    maxDollars,
    rates,
    priceOf({ lengthMs, framesPerSecond, questions, textLength }) {
      const seconds = Math.ceil(lengthMs / 1000);
      const seen = seconds * (framesPerSecond * rates.picture + rates.soundSecond);
      // Both the prompt and the schema contain the questions. Four characters are about one token.
      const asked = frameTokens + questions * questionTokens + textLength / 2;
      return seen + asked * rates.input + questions * answerTokens * rates.output;
    },
    reserve,
    settle,
    attemptDollars: attemptFactor * first,
    reserveAttempt() {
      const reserved = attemptFactor * first;
      // Only checks show whether the further attempt is better, so they need money too. They ask new questions only.
      if (left() < reserved + taken / 2 || !reserve(reserved)) return undefined;
      return (spent) => settle(reserved, spent);
    },
    spent: () => taken,
    left,
  };
}

/** Takes dollars out of a budget for one of its checks. `close` gives back what is left. If the budget has less, it pays for nothing. */
export function openPurse(budget: Budget, dollars: number): Budget & { close(): void } {
  const taken = budget.reserve(dollars) ? dollars : 0;
  const purse = openBudget({ total: 0, audio: null, dollars: taken, rates: budget.rates }, 0, { factor: 1 });
  return { ...purse, close: () => budget.settle(taken, purse.spent()) };
}

const maxCheckMs = 60_000;

/** Returns the run of one check: a minute at most, and at most this share of the time that the job has left. */
export function shareOf({ signal, deadline }: VideoRun, share: number): VideoRun {
  const ms = Math.max(0, Math.min(maxCheckMs, (deadline.getTime() - steadyNow()) * share));
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(Math.floor(ms))]),
    deadline: new Date(steadyNow() + ms),
  };
}
