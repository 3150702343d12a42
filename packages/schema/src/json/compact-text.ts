import { endOfString, isSpace } from "./scan.ts";

/** Returns a JSON text without the white space between its tokens. Literals and the order of keys stay. */
export function compactText(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '"') {
      at = endOfString(text, at) - 1;
    } else if (isSpace(text.charCodeAt(at))) {
      kept.push(text.slice(from, at));
      from = at + 1;
    }
  }
  kept.push(text.slice(from));
  return kept.join("");
}
