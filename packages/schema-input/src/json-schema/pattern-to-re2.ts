const spaceClass =
  "\\t\\n\\x{b}\\x{c}\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const lineEnds = "\\n\\r\\x{2028}\\x{2029}";

/**
 * An ECMA-262 pattern (valid with the `u` flag) in the syntax of RE2 with the same meaning, or undefined when it has
 * something that RE2 lacks or reads differently: lookaround, back-references, inline flags, Unicode properties (whose
 * tables may be of another version), empty classes.
 */
export function toRe2(source: string): string | undefined {
  let at = 0;
  let translated = "";
  while (at < source.length) {
    const piece = source.charAt(at) === "[" ? readClass() : readOutside();
    if (piece === undefined) return undefined;
    translated += piece;
  }
  return translated;

  function readOutside(): string | undefined {
    const mark = source.charAt(at);
    switch (mark) {
      case "^":
        at++;
        return "\\A";
      case "$":
        at++;
        return "\\z";
      case ".":
        at++;
        return `[^${lineEnds}]`;
      case "(":
        return readGroup();
      case "\\":
        return readEscape();
      case "{": {
        const end = source.indexOf("}", at) + 1;
        const repeat = source.slice(at, end);
        at = end;
        return repeat;
      }
      case ")":
      case "|":
      case "*":
      case "+":
      case "?":
        at++;
        return mark;
      default:
        return literal(readCodePoint());
    }
  }

  function readGroup(): string | undefined {
    const opening = /^\((?:\?:|\?<[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*>|(?!\?))/u.exec(source.slice(at));
    if (!opening) return undefined;
    at += opening[0].length;
    return "(?:";
  }

  function readEscape(): string | undefined {
    const mark = source.charAt(at + 1);
    switch (mark) {
      case "d":
      case "D":
      case "w":
      case "W":
      case "b":
      case "B":
        at += 2;
        return `\\${mark}`;
      case "s":
        at += 2;
        return `[${spaceClass}]`;
      case "S":
        at += 2;
        return `[^${spaceClass}]`;
      default: {
        const point = readEscapedPoint();
        return point === undefined ? undefined : literal(point);
      }
    }
  }

  function readClass(): string | undefined {
    at++;
    const negated = source.charAt(at) === "^";
    if (negated) at++;
    let body = "";
    while (source.charAt(at) !== "]") {
      const from = readClassAtom();
      if (from === undefined) return undefined;
      if (typeof from === "number" && source.charAt(at) === "-" && source.charAt(at + 1) !== "]") {
        at++;
        const to = readClassAtom();
        if (typeof to !== "number") return undefined;
        body += `${literal(from)}-${literal(to)}`;
      } else {
        body += typeof from === "number" ? literal(from) : from;
      }
    }
    at++;
    return body === "" ? undefined : `[${negated ? "^" : ""}${body}]`;
  }

  /** One code point, or the text of a class such as `\d`. */
  function readClassAtom(): number | string | undefined {
    if (source.charAt(at) !== "\\") return readCodePoint();
    const mark = source.charAt(at + 1);
    if (mark === "d" || mark === "D" || mark === "w" || mark === "W") {
      at += 2;
      return `\\${mark}`;
    }
    if (mark === "s") {
      at += 2;
      return spaceClass;
    }
    if (mark === "b") {
      at += 2;
      return 8;
    }
    return readEscapedPoint();
  }

  function readEscapedPoint(): number | undefined {
    const rest = source.slice(at);
    const pair = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(rest);
    const hex = /^\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/i.exec(rest);
    const letter = /^\\c([a-z])/i.exec(rest);
    const identity = /^\\([\^$\\.*+?()[\]{}|/-])/.exec(rest);
    const control = /^\\([tnvfr]|0(?!\d))/.exec(rest);
    const found = pair ?? hex ?? letter ?? identity ?? control;
    if (!found) return undefined;
    at += found[0].length;
    if (pair)
      return String.fromCharCode(Number.parseInt(pair[1] ?? "", 16), Number.parseInt(pair[2] ?? "", 16)).codePointAt(0);
    if (hex) return Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16);
    if (letter) return (letter[1] ?? "").charCodeAt(0) % 32;
    if (identity) return (identity[1] ?? "").charCodeAt(0);
    return controlPoint(control?.[1] ?? "");
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

function controlPoint(mark: string): number {
  return { t: 9, n: 10, v: 11, f: 12, r: 13 }[mark] ?? 0;
}
