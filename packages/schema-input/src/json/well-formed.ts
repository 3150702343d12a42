/** A text that every reader can decode: half of a surrogate pair is written as its escape, `\ud800`. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, escaped);
}

/** At most `length` characters of a text; never half of a character at the end. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function escaped(half: string): string {
  return `\\u${half.charCodeAt(0).toString(16)}`;
}
