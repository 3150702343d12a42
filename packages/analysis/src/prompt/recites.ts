import { findPhrases, wordsOf } from "./find-phrases.ts";

const runLength = 8;

/**
 * Gives the test whether a text repeats `runLength` words in a row of one that is not for callers, whatever the case and
 * whatever stands between the words. Words that stand so in what the caller sent do not count: they tell nothing new.
 */
export function recitalOf(secret: string, sent: readonly string[]): (text: string) => boolean {
  const words = wordsOf(secret);
  const runs = words.slice(runLength - 1).map((_, at) => words.slice(at, at + runLength));
  const runsIn = findPhrases(runs);
  const own = new Set(sent.flatMap(runsIn));
  return (text) => runsIn(text).some((run) => !own.has(run));
}
