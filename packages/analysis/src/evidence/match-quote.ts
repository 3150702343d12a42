/** The share of a quote's characters that may differ from what was read or heard, because programs misread letters. */
const maxDifferent = 0.25;
/** Only this much of a longer text is searched. */
const maxCharacters = 20_000;

/**
 * Returns whether the words of a quote are in a text, in order. Case, punctuation, accents and white space do not
 * count, and up to a quarter of the characters may differ. Undefined if the quote has no letters or digits.
 */
export function containsQuote(text: string, quote: string): boolean | undefined {
  const wanted = plain(quote);
  if (wanted === "") return undefined;
  const found = plain(text.slice(0, maxCharacters));
  if (found.includes(wanted)) return true;
  // A short quote with one wrong letter is another word.
  const most = Math.floor([...wanted].length * maxDifferent);
  return [...wanted].length >= 4 && leastDifferences([...found], [...wanted]) <= most;
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns the smallest edit distance between `wanted` and any part of `text` (Sellers' algorithm). */
function leastDifferences(text: readonly string[], wanted: readonly string[]): number {
  let column = Uint16Array.from({ length: wanted.length + 1 }, (_, row) => row);
  let next = new Uint16Array(wanted.length + 1);
  let least = wanted.length;
  for (const character of text) {
    for (let row = 0; row < wanted.length; row++) {
      const replaced = (column[row] as number) + (wanted[row] === character ? 0 : 1);
      next[row + 1] = Math.min(replaced, (column[row + 1] as number) + 1, (next[row] as number) + 1);
    }
    [column, next] = [next, column];
    least = Math.min(least, column[wanted.length] as number);
  }
  return least;
}
