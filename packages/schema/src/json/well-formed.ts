/** Replaces half surrogate pairs by their escapes, such as `\ud800`, so that UTF-8 can encode the text. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, escaped);
}

/** Cuts a text to at most `length` characters, never between the halves of a surrogate pair. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function escaped(half: string): string {
  return `\\u${half.charCodeAt(0).toString(16)}`;
}
