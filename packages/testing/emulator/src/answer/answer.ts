import { matchesPattern } from "./invent.ts";
import type { Schema } from "./schema.ts";

/** A JSON value. A Map keeps the order of every key, integer-like keys and `__proto__` included. */
export type Answer = null | boolean | number | string | Answer[] | Map<string, Answer>;

export function writeJson(answer: Answer): string {
  if (Array.isArray(answer)) return `[${answer.map(writeJson).join(",")}]`;
  if (!(answer instanceof Map)) return JSON.stringify(answer);
  return `{${[...answer].map(([key, value]) => `${JSON.stringify(key)}:${writeJson(value)}`).join(",")}}`;
}

export function toAnswer(value: unknown): Answer {
  if (Array.isArray(value)) return value.map(toAnswer);
  if (value !== null && typeof value === "object") {
    return new Map(Object.entries(value).map(([key, inside]) => [key, toAnswer(inside)]));
  }
  return (value ?? null) as Answer;
}

/** Returns a JSON value, or undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the words of a name or text in lower case: title, card, at for `titleCard_at`. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.match(/[a-z]+|\d+/g) ?? [];
}

export function hasAny(words: readonly string[], ...others: readonly string[]): boolean {
  return words.some((word) => others.includes(word));
}

/** The words of names that ask for the end of something. */
export const endWords = ["end", "ends", "ended", "ending", "until", "till", "finish", "stop", "stops", "to"];
const startWords = ["start", "starts", "started", "begin", "begins", "beginning", "from", "since"];
const timeWords = ["at", "time", "timestamp", "timestamps", "times", "when", "moment", "clock", "timecode"];

/** Returns whether a field asks for a moment, by its name, description or pattern. */
export function asksForTime(name: readonly string[], schema: Schema): boolean {
  const text = `${schema.title ?? ""} ${schema.description ?? ""}`;
  if (/\bM{1,2}:SS\b|timestamp|time ?code|moment (when|at which|that)/i.test(text)) return true;
  if (typeof schema.pattern === "string" && /\\d|\[0-/.test(schema.pattern) && schema.pattern.includes(":"))
    return true;
  if (schema.format !== undefined) return false;
  const isTime = hasAny(name.slice(-1), ...timeWords, ...endWords, ...startWords);
  return isTime || /^(start|end)s?$/.test(name[0] ?? "");
}

/** Returns a moment as `MM:SS`, or in the form that the field's pattern or description asks for. */
export function writeTime(ms: number, schema: Schema): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  const thousandths = String(Math.floor(ms % 1000)).padStart(3, "0");
  const short = `${two(Math.floor(seconds / 60))}:${two(rest)}`;
  const long = `${two(hours)}:${two(minutes)}:${two(rest)}`;
  const { pattern, description = "" } = schema;
  if (typeof pattern === "string") {
    const forms = [
      ...[short, long, long.replace(/^0/, ""), short.replace(/^0/, ""), `${short}.${thousandths}`],
      ...[`${long}.${thousandths}`, `${long},${thousandths}`, `${long}:00`, String(seconds), `${seconds}s`],
    ];
    return forms.find((form) => matchesPattern(pattern, form)) ?? short;
  }
  if (/HH:MM:SS[.,]/.test(description)) return `${long}.${thousandths}`;
  if (/HH:MM:SS/.test(description)) return long;
  if (/\bH:MM:SS/.test(description)) return long.replace(/^0/, "");
  return /MM:SS[.,]s/i.test(description) && !/MM:SS(?![.,]s)/i.test(description) ? `${short}.${thousandths}` : short;
}

/** Returns a position in a video as a clock shows it: `MM:SS.s`. */
export function clockText(ms: number): string {
  const tenths = Math.floor((ms + 1) / 100);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}
