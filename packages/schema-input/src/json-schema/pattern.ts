import { RE2JS } from "re2js";
import { toRe2 } from "./pattern-to-re2.ts";

/** A compiled `pattern`. `toString` is unique to the pattern: ajv takes patterns with the same text for the same one. */
export type Pattern = { test(text: string): boolean; toString(): string };

/**
 * Compiles an ECMA-262 pattern. It runs in linear time where its meaning can be carried over to that engine, and on V8
 * where not (docs/decisions/0001, "Schema input"). Read with the `u` flag, and without it when only that is valid, since
 * many schemas escape more than `u` allows. Throws `SyntaxError` when neither is valid.
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
    // Without `u`, an escaped letter that means nothing is that letter: `\Z` and `\p{L}` would never match what was meant.
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
    // Beyond what the engine takes (large repeats): V8 does it.
    return undefined;
  }
}
