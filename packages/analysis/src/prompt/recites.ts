/**
 * Whether a text repeats `runLength` words in a row of one that is not for callers, whatever the case and whatever stands
 * between the words. Words that stand so in what the caller sent do not count: they tell nothing new.
 */
export function recites(text: string, secret: string, sent: readonly string[]): boolean {
  const own = new Set(sent.flatMap((each) => runsOf(wordsOf(each))));
  const told = new Set(runsOf(wordsOf(secret)).filter((run) => !own.has(run)));
  return runsOf(wordsOf(text)).some((run) => told.has(run));
}

const runLength = 8;

/** Escapes of JSON are read as what stands between words, so that keys and values may be looked at as they are written. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(/\\[nrtbf"\\/]/g, " ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function runsOf(words: readonly string[]): string[] {
  return words
    .slice(0, Math.max(0, words.length - runLength + 1))
    .map((_, at) => words.slice(at, at + runLength).join(" "));
}
