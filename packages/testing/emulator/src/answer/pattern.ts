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

const maxLength = 2000;
/** The parts of a pattern: an escape, a class, the start of a group, any other character; then how often it repeats. */
const part = /(?:\\(?:p\{[^}]*\}|.)|\[\^?\]?(?:\\.|[^\]])*\]|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|.)/suy;
const repetition = /(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/y;

/** Returns a short text that a simple pattern matches, or undefined: of each choice, the first and fewest. */
export function sampleOf(pattern: string): string | undefined {
  let at = 0;
  const read = (form: RegExp) => {
    form.lastIndex = at;
    const match = form.exec(pattern);
    at += match?.[0].length ?? 0;
    return match;
  };

  /** Reads until the end of the group, and returns a text of its first alternative. */
  function group(): string {
    const alternatives = [""];
    while (at < pattern.length && pattern[at] !== ")") {
      const token = read(part)?.[0] ?? "";
      const text = token.startsWith("(") ? group() : sampleOfPart(token);
      const isAssertion = /^\(\?<?[=!]/.test(token);
      const [, sign, count] = read(repetition) ?? [];
      const times = sign === "*" || sign === "?" ? 0 : Number(count ?? 1);
      if (token === "|") alternatives.push("");
      else if (!isAssertion) alternatives.push(`${alternatives.pop()}${text.repeat(Math.min(times, maxLength))}`);
      if (alternatives.join("").length > maxLength) at = pattern.length;
    }
    at += 1;
    return alternatives[0] ?? "";
  }

  const sample = group();
  return matchesPattern(pattern, sample) ? sample : undefined;
}

const escapes: Readonly<Record<string, string>> = {
  d: "0",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  p: "A",
  b: "",
  B: "",
};

function sampleOfPart(token: string): string {
  if (token === "^" || token === "$" || token === "|") return "";
  if (token === ".") return "a";
  if (token.startsWith("\\")) return escapes[token[1] ?? ""] ?? token.slice(1);
  if (!token.startsWith("[")) return token;
  return (
    [..."a0A-_ ", token[1] === "\\" ? "" : (token[1] ?? "")].find((char) => matchesPattern(`^${token}$`, char)) ?? ""
  );
}
