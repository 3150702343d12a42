/** Returns the words of a name or text in lower case: title, card, at for `titleCard_at`. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.match(/[a-z]+|\d+/g) ?? [];
}

/** Returns whether any of the words is one of the others. */
export function hasAny(words: readonly string[], ...others: readonly string[]): boolean {
  return words.some((word) => others.includes(word));
}
