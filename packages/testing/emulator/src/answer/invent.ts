import { runInNewContext } from "node:vm";
import { bound, type Schema } from "./schema.ts";

const maxTextLength = 100_000;

/** Returns a string that a node allows, for a required field without evidence. */
export function inventString(schema: Schema, asTime: boolean): string {
  const { pattern, format } = schema;
  if (typeof pattern === "string") {
    const usual = ["unknown", "00:00"].find((text) => matchesPattern(pattern, text));
    return usual ?? sampleOf(pattern) ?? "unknown";
  }
  if (asTime) return "00:00";
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format] ?? "";
  const text = "unknown".padEnd(Math.min(bound(schema, "minLength") ?? 0, maxTextLength), " -");
  return text.slice(0, bound(schema, "maxLength") ?? text.length);
}

/** Returns the option that means "unknown", or else the first. */
export function optionForUnknown(options: readonly unknown[]): unknown {
  const isUnknown = (option: unknown) => /^(unknown|unclear|none|n\/?a|other|not[ _-]\w+)$/i.test(String(option));
  return options.includes(null) ? null : (options.find(isUnknown) ?? options[0]);
}

/** Returns the nearest number within the bounds of a node. */
export function fitNumber(number: number, schema: Schema, isInteger: boolean): number {
  const step = bound(schema, "multipleOf") ?? (isInteger ? 1 : 0);
  const above = bound(schema, "exclusiveMinimum");
  const below = bound(schema, "exclusiveMaximum");
  const gap = step || 0.001;
  const low = Math.max(bound(schema, "minimum") ?? -Infinity, above === undefined ? -Infinity : above + gap);
  const high = Math.min(bound(schema, "maximum") ?? Infinity, below === undefined ? Infinity : below - gap);
  const inside = Math.min(Math.max(number, low), high);
  if (step <= 0) return Number(inside.toFixed(3));
  const near = Math.round(inside / step) * step;
  if (near >= low && near <= high) return Number(near.toFixed(9));
  return Number(((near < low ? Math.ceil(low / step) : Math.floor(high / step)) * step).toFixed(9));
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "1970-01-01T00:00:00Z",
  date: "1970-01-01",
  time: "00:00:00Z",
  duration: "PT0S",
  email: "unknown@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

const timeoutMs = 250;

/** Returns whether a text matches a pattern. An invalid pattern, or one that runs longer than a quarter of a second, matches nothing. */
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
