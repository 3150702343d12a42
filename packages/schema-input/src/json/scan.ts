/** Where the string that starts at `from` ends, past its closing quote. The text must be JSON. */
export function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

/** Whether a character code is white space to JSON. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

/** A text without the white space of JSON around it, and no other. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** How many containers stand inside one another, at most. The text must be JSON. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at) - 1;
        break;
      case "{":
      case "[":
        deepest = Math.max(deepest, ++depth);
        break;
      case "}":
      case "]":
        depth--;
        break;
    }
  }
  return deepest;
}
