import { runInNewContext } from "node:vm";

const timeoutMs = 50;

/** Returns whether a text matches a pattern. An invalid pattern, or one that runs longer than 50 ms, matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const sandbox = { pattern, text };
  for (const flags of ["u", ""]) {
    try {
      return runInNewContext(`new RegExp(pattern, "${flags}").test(text)`, sandbox, { timeout: timeoutMs }) === true;
    } catch {
      // Many patterns are only valid without the u flag.
    }
  }
  return false;
}

/** Returns a short text that a simple pattern matches, or undefined if none is found. */
export function sampleOf(pattern: string): string | undefined {
  const samples = [fewest, atLeastOne].flatMap((choose) => {
    try {
      return [createReader(pattern, choose).alternatives(0)];
    } catch {
      return [];
    }
  });
  return samples.find((sample) => matchesPattern(pattern, sample));
}

/** Chooses how often a repeated part occurs. */
type Choose = (low: number, high: number) => number;

const fewest: Choose = (low) => low;
const atLeastOne: Choose = (low, high) => Math.min(Math.max(low, 1), high);
const maxDepth = 50;
const maxLength = 2000;

/** Reads a regular expression from left to right and writes a text that its first alternatives match. */
function createReader(pattern: string, choose: Choose) {
  let at = 0;
  const groups: string[] = [];

  function alternatives(depth: number): string {
    if (depth > maxDepth) throw new RangeError("too deep");
    const first = sequence(depth);
    while (pattern[at] === "|") {
      at += 1;
      sequence(depth);
    }
    return first;
  }

  function sequence(depth: number): string {
    let text = "";
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      text += repeated(atom(depth));
      if (text.length > maxLength) throw new RangeError("too long");
    }
    return text;
  }

  function repeated(text: string): string {
    const range = /^(?:\*|\+|\?|\{(\d+)(,(\d*))?\})\??/.exec(pattern.slice(at));
    if (!range) return text;
    at += range[0].length;
    const open = { "*": [0, 3], "+": [1, 3], "?": [0, 1] }[range[0][0] ?? ""];
    const low = open?.[0] ?? Number(range[1]);
    const high = open?.[1] ?? (range[2] === undefined ? low : range[3] ? Number(range[3]) : low + 3);
    const times = choose(low, high);
    if (times * text.length > maxLength) throw new RangeError("too long");
    return text.repeat(times);
  }

  function atom(depth: number): string {
    const char = pattern[at] ?? "";
    at += 1;
    if (char === "^" || char === "$") return "";
    if (char === ".") return "a";
    if (char === "[") return classMember();
    if (char === "\\") return escaped(false);
    if (char !== "(") return char;
    const opening = /^\?(?:[:=!]|<[=!]|<\w+>)/.exec(pattern.slice(at))?.[0] ?? "";
    at += opening.length;
    const slot = groups.length;
    const captures = opening === "" || /^\?<\w/.test(opening);
    if (captures) groups.push("");
    const text = alternatives(depth + 1);
    at += 1;
    if (captures) groups[slot] = text;
    return /^\?(?:=|!|<=|<!)/.test(opening) ? "" : text;
  }

  function escaped(inClass: boolean): string {
    const char = pattern[at] ?? "";
    at += 1;
    if (char === "b" && !inClass) return "";
    if (/[1-9]/.test(char) && !inClass) return groups[Number(char) - 1] ?? "";
    const known = { d: "0", w: "a", s: " ", D: "a", W: "-", S: "a", n: "\n", t: "\t", r: "\r", B: "" }[char];
    if (char === "p" || char === "P") {
      at += /^\{[^}]*\}/.exec(pattern.slice(at))?.[0].length ?? 0;
      return "A";
    }
    if (char === "u" || char === "x") {
      const code = /^\{([\da-f]+)\}|^([\da-f]{4})|^([\da-f]{2})/i.exec(pattern.slice(at));
      at += code?.[0].length ?? 0;
      return String.fromCodePoint(Number.parseInt(code?.[1] ?? code?.[2] ?? code?.[3] ?? "61", 16));
    }
    return known ?? char;
  }

  function classMember(): string {
    const negated = pattern[at] === "^";
    if (negated) at += 1;
    const from = at;
    let first: string | undefined;
    while (at < pattern.length && (pattern[at] !== "]" || at === from)) {
      const char = pattern[at] ?? "";
      at += 1;
      const member = char === "\\" ? escaped(true) : char;
      first ??= member;
    }
    const body = pattern.slice(from, at);
    at += 1;
    if (!negated) return first ?? "";
    return [..."a0-_ A~"].find((char) => matchesPattern(`[^${body}]`, char)) ?? "a";
  }

  return { alternatives };
}
