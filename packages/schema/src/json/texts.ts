import { endOfString, isSpace } from "./scan.ts";
import { findSyntaxFault } from "./syntax-fault.ts";

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

/** Returns a JSON pointer (RFC 6901) with one more step. */
export function childPointer(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the steps of a JSON pointer, or undefined when the text is not one. */
export function pointerSteps(pointer: string): string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) return undefined;
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

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

/** The error for a text that is not JSON (`syntax`) or exceeds a limit (`depth`, `values`). */
export class JsonError extends Error {
  readonly reason: "syntax" | "depth" | "values";

  constructor(reason: JsonError["reason"], message: string) {
    super(message);
    this.name = "JsonError";
    this.reason = reason;
  }
}

/**
 * Calls `JSON.parse`, which does not recurse. Throws `JsonError` if the text is not JSON, with the place and a
 * correction.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const fault = findSyntaxFault(text);
    const message = fault && `line ${fault.line}, column ${fault.column}: ${fault.advice}`;
    throw new JsonError("syntax", message ?? (error instanceof Error ? error.message : String(error)));
  }
}
