import { isJsonObject } from "@video-to-json/contract";
import type { Span } from "../second-look/findings.ts";
import { type ClipWindow, questionName } from "./clip-question.ts";

/** What a model saw of one question in a clip. `unclear`: it cannot tell, or its answer cannot be used. */
export type Sighting = { seen: "here" | "not_here" | "unclear"; spans: Span[] };

type ReadClip = ClipWindow & { framesPerSecond: number };

/** How far outside the clip a time may be and still mean its edge: a clock that is read one picture late. */
const slackMs = 1000;

/**
 * Reads the answer to the questions about a clip, one sighting for each question. Times outside the clip are not used:
 * they do not come from its clock.
 */
export function readClipAnswer(text: string, questions: number, clip: ReadClip): Sighting[] {
  const answer = parseObject(text);
  return Array.from({ length: questions }, (_, index) => readSighting(answer?.[questionName(index)], clip));
}

function readSighting(value: unknown, clip: ReadClip): Sighting {
  if (!isJsonObject(value)) return { seen: "unclear", spans: [] };
  const times = Array.isArray(value.times) ? value.times : [];
  const spans = times.flatMap((time) => readSpan(time, clip)).sort((a, b) => a.startMs - b.startMs);
  if (spans.length > 0 && value.seen !== "not_here") return { seen: "here", spans };
  // It says that nothing is there, and names no time.
  if (value.seen === "not_here" && times.length === 0) return { seen: "not_here", spans: [] };
  return { seen: "unclear", spans: [] };
}

function readSpan(value: unknown, { fromMs, toMs, framesPerSecond }: ReadClip): Span[] {
  if (!isJsonObject(value)) return [];
  const [start, end] = [readTime(value.from), readTime(value.to)];
  const isInside = (ms: number) => ms >= fromMs - slackMs && ms <= toMs + slackMs;
  if (start === undefined || !isInside(start)) return [];
  const last = end !== undefined && end >= start && isInside(end) ? end : start;
  const clamp = (ms: number) => Math.min(Math.max(ms, fromMs), toMs);
  // It is seen until the next picture, which no longer shows it.
  const nextMs = Math.round(last + 1000 / framesPerSecond);
  return [{ startMs: clamp(start), endMs: clamp(nextMs) }];
}

/** Reads `MM:SS.t`, with or without hours and fraction, or a number of seconds. Returns milliseconds. */
function readTime(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return Math.round(value * 1000);
  const parts =
    typeof value === "string" ? /^(?:(\d{1,2}):)?(\d{1,3}):(\d{1,2}(?:[.,]\d{1,3})?)$/.exec(value.trim()) : null;
  if (!parts) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = parts;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(",", "."))) * 1000);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const bare = text.trim().replace(/^```[A-Za-z]*\s*\n([\s\S]*)```$/, "$1");
  try {
    const value: unknown = JSON.parse(bare);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
