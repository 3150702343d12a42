import { matchesPattern } from "./pattern.ts";
import { descriptionWords, type Place, subjectOf } from "./place.ts";
import type { Schema } from "./schema.ts";
import { hasAny } from "./words.ts";

/** The words of names that ask for the end of something. */
export const endWords = [
  "end",
  "ends",
  "ended",
  "ending",
  "until",
  "till",
  "finish",
  "finishes",
  "stop",
  "stops",
  "to",
  "disappears",
];
const startWords = ["start", "starts", "started", "begin", "begins", "beginning", "from", "since"];
const timeWords = ["at", "time", "timestamp", "timestamps", "times", "when", "moment", "clock", "timecode", "appears"];

/** Returns whether a field asks for a moment, by its name, description or pattern. */
export function asksForTime(name: readonly string[], schema: Schema): boolean {
  const text = `${schema.title ?? ""} ${schema.description ?? ""}`;
  if (/\bM{1,2}:SS\b|timestamp|time ?code|moment (when|at which|that)/i.test(text)) return true;
  if (typeof schema.pattern === "string" && /\\d|\[0-/.test(schema.pattern) && schema.pattern.includes(":"))
    return true;
  if (schema.format !== undefined) return false;
  const last = name.at(-1) ?? "";
  return (
    timeWords.includes(last) ||
    endWords.includes(last) ||
    startWords.includes(last) ||
    /^(start|end)s?$/.test(name[0] ?? "")
  );
}

/** Returns the moment that a field asks for, in milliseconds, or undefined if the event does not happen. */
export function timeOf(place: Place, schema: Schema): number | undefined {
  const words = [...place.name, ...(place.name.length === 0 || !isEdge(place.name) ? descriptionWords(schema) : [])];
  const subject = subjectOf(place, schema);
  if (!subject) return undefined;
  if (hasAny(place.name, ...endWords)) return subject.kind === "cut" ? subject.startMs : subject.endMs;
  const isOfWholeVideo = subject.kind === "video" && !hasAny(place.name, ...startWords);
  if (!isOfWholeVideo) return subject.startMs;
  return hasAny(words, "end", "ends") && !hasAny(words, "start", "starts", "first") ? subject.endMs : undefined;
}

function isEdge(name: readonly string[]): boolean {
  return hasAny(name, ...endWords) || hasAny(name, ...startWords);
}

/** Returns a moment as `MM:SS`, or in the form that the field's pattern or description asks for. */
export function writeTime(ms: number, schema: Schema): string {
  const forms = formsOf(ms);
  const { pattern } = schema;
  if (typeof pattern === "string") return forms.find((form) => matchesPattern(pattern, form)) ?? forms[0] ?? "00:00";
  const description = String(schema.description ?? "");
  if (/HH:MM:SS[.,]/.test(description)) return forms[5] ?? "";
  if (/HH:MM:SS/.test(description)) return forms[1] ?? "";
  if (/\bH:MM:SS/.test(description)) return forms[2] ?? "";
  if (/MM:SS[.,]s{1,3}/i.test(description) && !/MM:SS(?![.,]s)/i.test(description)) return forms[4] ?? "";
  return forms[0] ?? "";
}

function formsOf(ms: number): string[] {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, "0");
  const thousandths = String(Math.floor(ms % 1000)).padStart(3, "0");
  const short = `${two(Math.floor(seconds / 60))}:${two(rest)}`;
  const long = `${two(hours)}:${two(minutes)}:${two(rest)}`;
  return [
    short,
    long,
    `${hours}:${two(minutes)}:${two(rest)}`,
    `${Math.floor(seconds / 60)}:${two(rest)}`,
    `${short}.${thousandths}`,
    `${long}.${thousandths}`,
    `${long},${thousandths}`,
    `${long}:00`,
    `${long};00`,
    String(seconds),
    `${seconds}s`,
    `${seconds}.${thousandths}`,
  ];
}
