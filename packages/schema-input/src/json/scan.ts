/** Where the string that starts at `from` ends, past its closing quote; at the end of the text where there is none. */
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

/** What a string of JSON stands for, given as it was written, quotes included. */
export function stringValue(raw: string): string {
  return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
}

/** Whether a character code is white space to JSON. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** A text without the white space of JSON around it, and no other. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** Whether a text holds more than so many JSON values, containers included: told by its marks, before it is parsed. */
export function hasMoreValuesThan(text: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < text.length && values <= most; at++) {
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
  return values > most;
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
