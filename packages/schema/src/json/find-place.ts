import { endOfString, isSpace, stringValue } from "./scan.ts";
import { JsonError, parseJson, pointerSteps } from "./texts.ts";

/** Characters (UTF-16 units) of a text: `from` is the first, `to` follows the last. */
export type TextPlace = { from: number; to: number };

/**
 * Returns the place of a pointer's value in a JSON text, or that of the container if the value is missing. The keys of
 * a sketch may end in `?`. Of repeated keys, it takes the last one. Returns undefined for a text that is not JSON. It
 * does not recurse.
 */
export function findPlace(text: string, pointer: string): TextPlace | undefined {
  if (!isJson(text)) return undefined;
  let place = valueFrom(text, skipSpace(text, 0));
  for (const step of pointerSteps(pointer) ?? []) {
    const child = childOf(text, place, step);
    if (!child) break;
    place = child;
  }
  return place;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

function childOf(text: string, { from }: TextPlace, step: string): TextPlace | undefined {
  const isObject = text[from] === "{";
  if (!isObject && text[from] !== "[") return undefined;
  let found: TextPlace | undefined;
  let optional: TextPlace | undefined;
  let at = skipSpace(text, from + 1);
  for (let index = 0; text[at] !== "}" && text[at] !== "]"; index++) {
    let key = String(index);
    if (isObject) {
      const end = endOfString(text, at);
      key = stringValue(text.slice(at, end));
      at = skipSpace(text, skipSpace(text, end) + 1);
    }
    const value = valueFrom(text, at);
    if (key === step) found = value;
    else if (isObject && key === `${step}?`) optional = value;
    at = skipSpace(text, value.to);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return found ?? optional;
}

/** The text is valid JSON, so a value ends where its brackets close, or where the next token starts. */
function valueFrom(text: string, from: number): TextPlace {
  let depth = 0;
  let at = from;
  for (;;) {
    const mark = text[at];
    if (mark === '"') at = endOfString(text, at);
    else if (mark === "{" || mark === "[") {
      depth++;
      at++;
    } else if (mark === "}" || mark === "]") {
      depth--;
      at++;
    } else if (mark === "," || mark === ":" || isSpace(text.charCodeAt(at))) at++;
    else while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
    if (depth === 0) return { from, to: at };
  }
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next++;
  return next;
}
