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
  const unicode = compileUnicode(source);
  const linear = unicode ? compileLinear(source) : undefined;
  const fallback = unicode ?? new RegExp(source);
  const test = linear ? (text: string) => linear.test(text) : (text: string) => fallback.test(text);
  return { test, toString: () => `pattern ${source}` };
}

function compileUnicode(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
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
