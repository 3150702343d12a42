/** Returns the position after the string that starts at `from`. Without a closing quote, it is the end of the text. */
export function endOfString(text: string, from: number): number {
  const quote = text.indexOf('"', from + 1);
  if (quote !== -1 && text.charCodeAt(quote - 1) !== 0x5c) return quote + 1;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code === 0x5c) at++;
  }
  return text.length;
}

/** Returns the value of a JSON string that is given with its quotes. */
export function stringValue(raw: string): string {
  return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
}

/** Returns whether a character code is JSON white space. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Removes JSON white space, and no other, from both ends of a text. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/**
 * Returns whether a text has more than `max` JSON values, including containers. It counts tokens and does not parse.
 */
export function hasMoreValuesThan(text: string, max: number): boolean {
  let values = 1;
  for (let at = 0; at < text.length && values <= max; at++) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at) - 1;
        break;
      case ",":
        values++;
        break;
      case "{":
      case "[":
        while (isSpace(text.charCodeAt(at + 1))) at++;
        if (!/[}\]]/.test(text.charAt(at + 1))) values++;
        break;
    }
  }
  return values > max;
}

/** Returns the nesting depth of the containers in a text, which must be JSON. */
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
