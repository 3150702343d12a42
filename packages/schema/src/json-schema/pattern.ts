import { RE2JS } from "re2js";
import { toRe2 } from "./pattern-to-re2.ts";

/** A compiled `pattern`. `toString` is unique to the pattern, because ajv treats equal texts as the same pattern. */
export type Pattern = { test(text: string): boolean; toString(): string };

/**
 * Compiles an ECMA-262 pattern. RE2 runs it in linear time if it can be translated, otherwise V8 runs it
 * (docs/decisions/0001, "Schema input"). The pattern is read with the `u` flag, or without it if the pattern is valid
 * only then, because many schemas escape more than `u` allows. Throws `SyntaxError` when neither is valid.
 */
export function compilePattern(source: string): Pattern {
  const regExp = compileRegExp(source);
  const linear = regExp.unicode ? compileLinear(source) : undefined;
  const test = linear ? (text: string) => linear.test(text) : (text: string) => regExp.test(text);
  return { test, toString: () => `pattern ${source}` };
}

function compileRegExp(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (error) {
    // Without `u`, `\Z` means the letter Z, which is never what the author meant.
    if (hasForeignEscape(source)) throw error;
    return new RegExp(source);
  }
}

function hasForeignEscape(source: string): boolean {
  const known = /^(?:[^A-Za-z]|[dDwWsSbBtnvfrk]|c[A-Za-z]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/s;
  return [...source.matchAll(/\\./gs)].some(({ index }) => !known.test(source.slice(index + 1, index + 6)));
}

function compileLinear(source: string): RE2JS | undefined {
  const translated = toRe2(source);
  if (translated === undefined) return undefined;
  try {
    return RE2JS.compile(translated);
  } catch {
    // The pattern exceeds a limit of RE2, such as the size of a repeat.
    return undefined;
  }
}
