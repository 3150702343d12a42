import { RE2JS } from "re2js";

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

const spaceClass =
  "\\t\\n\\x{b}\\x{c}\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

/** The marks outside of classes, and their meanings without the `m` and `s` flags. */
const marks = new Map([
  ["^", "\\A"],
  ["$", "\\z"],
  [".", "[^\\n\\r\\x{2028}\\x{2029}]"],
  ...[..."|*+?)"].map((mark): [string, string] => [mark, mark]),
]);

/** Escapes outside of classes that have the same meaning in RE2, or a class with the same meaning. */
const escapes = new Map([
  ...[..."dDwWbB"].map((letter): [string, string] => [letter, `\\${letter}`]),
  ["s", `[${spaceClass}]`],
  ["S", `[^${spaceClass}]`],
]);

/** Escapes inside of classes that add several characters. `\S` has no counterpart in RE2. */
const classEscapes = new Map([
  ...[..."dDwW"].map((letter): [string, string] => [letter, `\\${letter}`]),
  ["s", spaceClass],
]);

const hexPoint = (digits = "") => Number.parseInt(digits, 16);
const controls = new Map([..."tnvfr"].map((letter, index) => [letter, [9, 10, 11, 12, 13][index] ?? 0]));

/** The escapes of a single character, each with the code point that it matches. */
const pointEscapes: readonly [RegExp, (first?: string, second?: string) => number | undefined][] = [
  [
    /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i,
    (high, low) => String.fromCharCode(hexPoint(high), hexPoint(low)).codePointAt(0),
  ],
  [/^\\u\{([0-9a-f]+)\}/i, hexPoint],
  [/^\\u([0-9a-f]{4})/i, hexPoint],
  [/^\\x([0-9a-f]{2})/i, hexPoint],
  [/^\\c([a-z])/i, (letter = "") => letter.charCodeAt(0) % 32],
  [/^\\([\^$\\.*+?()[\]{}|/-])/, (mark = "") => mark.charCodeAt(0)],
  [/^\\([tnvfr]|0(?!\d))/, (letter = "") => controls.get(letter) ?? 0],
];

/**
 * Translates an ECMA-262 pattern that is valid with the `u` flag to an RE2 pattern with the same meaning. Returns
 * undefined if RE2 cannot express a part of the pattern or reads it differently: lookaround, back-references, inline
 * flags, Unicode properties (whose tables may be of another version), empty classes.
 */
export function toRe2(source: string): string | undefined {
  let at = 0;
  let translated = "";
  while (at < source.length) {
    const piece = readPiece();
    if (piece === undefined) return undefined;
    translated += piece;
  }
  return translated;

  function readPiece(): string | undefined {
    const mark = source.charAt(at);
    if (mark === "[") return readClass();
    if (mark === "(") return readGroup();
    if (mark === "\\") return readEscape();
    if (mark === "{") return readRepeat();
    return takeFrom(marks, 0) ?? literal(readCodePoint());
  }

  function readGroup(): string | undefined {
    const opening = /^\((?:\?:|\?<[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*>|(?!\?))/u.exec(source.slice(at));
    if (!opening) return undefined;
    at += opening[0].length;
    return "(?:";
  }

  function readRepeat(): string {
    const from = at;
    at = source.indexOf("}", at) + 1;
    return source.slice(from, at);
  }

  function readEscape(): string | undefined {
    const known = takeFrom(escapes, 1);
    if (known !== undefined) return known;
    const point = readEscapedPoint();
    return point === undefined ? undefined : literal(point);
  }

  function readClass(): string | undefined {
    at++;
    const negated = source.charAt(at) === "^";
    if (negated) at++;
    let body = "";
    while (source.charAt(at) !== "]") {
      const range = readRange();
      if (range === undefined) return undefined;
      body += range;
    }
    at++;
    return body === "" ? undefined : `[${negated ? "^" : ""}${body}]`;
  }

  /** Reads `a`, `a-z` or `\d` inside of a class. */
  function readRange(): string | undefined {
    const from = readClassAtom();
    if (typeof from !== "number") return from;
    if (source.charAt(at) !== "-" || source.charAt(at + 1) === "]") return literal(from);
    at++;
    const to = readClassAtom();
    return typeof to === "number" ? `${literal(from)}-${literal(to)}` : undefined;
  }

  /** Reads one code point, or the RE2 text of an escape such as `\d`. */
  function readClassAtom(): number | string | undefined {
    if (source.charAt(at) !== "\\") return readCodePoint();
    if (source.charAt(at + 1) !== "b") return takeFrom(classEscapes, 1) ?? readEscapedPoint();
    at += 2;
    return 8;
  }

  /** Reads the character `ahead` of the position when the table has it. */
  function takeFrom(table: ReadonlyMap<string, string>, ahead: 0 | 1): string | undefined {
    const found = table.get(source.charAt(at + ahead));
    if (found !== undefined) at += ahead + 1;
    return found;
  }

  function readEscapedPoint(): number | undefined {
    const rest = source.slice(at);
    for (const [pattern, toPoint] of pointEscapes) {
      const found = pattern.exec(rest);
      if (!found) continue;
      at += found[0].length;
      return toPoint(found[1], found[2]);
    }
    return undefined;
  }

  function readCodePoint(): number {
    const point = source.codePointAt(at) ?? 0;
    at += point > 0xffff ? 2 : 1;
    return point;
  }
}

function literal(point: number): string {
  const character = String.fromCodePoint(point);
  return /[A-Za-z0-9]/.test(character) ? character : `\\x{${point.toString(16)}}`;
}
