/** The words of a name or a text, in lower case: `titleCard_at` gives title, card, at. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.match(/[a-z]+|\d+/g) ?? [];
}

/** Whether any of the words is among these. */
export function hasAny(words: readonly string[], ...these: readonly string[]): boolean {
  return words.some((word) => these.includes(word));
}
