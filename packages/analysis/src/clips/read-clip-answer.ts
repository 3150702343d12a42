import { isJsonObject } from "@video-to-json/contract";
import type { Span } from "../second-look/findings.ts";
import { type ClipWindow, questionName } from "./clip-question.ts";

/** What a model saw of one question in a clip. `unclear`: it cannot say, or its answer is unusable. */
export type Sighting = { seen: "here" | "not_here" | "unclear"; spans: Span[] };

type ReadClip = ClipWindow & { framesPerSecond: number };

/** How far outside the clip a time may be and still mean its edge, because a clock may be read one picture late. */
const slackMs = 1000;

/**
 * Reads the answer to the questions about a clip, one sighting for each question. Times outside the clip are not used:
 * they do not come from its clock.
 */
export function readClipAnswer(text: string, questions: number, clip: ReadClip): Sighting[] {
  const answer = parseObject(text);
  return Array.from({ length: questions }, (_, index) => readSighting(answer?.[questionName(index)], clip));
}

/** One unusable time makes the whole sighting unclear, because its other times are not worth more. */
function readSighting(value: unknown, clip: ReadClip): Sighting {
  const unclear: Sighting = { seen: "unclear", spans: [] };
  if (!isJsonObject(value) || (value.times !== undefined && !Array.isArray(value.times))) return unclear;
  const times: unknown[] = value.times ?? [];
  if (value.seen === "not_here" && times.length === 0) return { seen: "not_here", spans: [] };
  if (value.seen !== "here" || times.length === 0) return unclear;
  const spans = times.map((time) => readSpan(time, clip)).filter((span) => span !== undefined);
  if (spans.length < times.length) return unclear;
  return { seen: "here", spans: spans.sort((a, b) => a.startMs - b.startMs) };
}

function readSpan(value: unknown, { fromMs, toMs, framesPerSecond }: ReadClip): Span | undefined {
  if (!isJsonObject(value)) return undefined;
  const [start, end] = [readTime(value.from), readTime(value.to ?? value.from)];
  const isInside = (ms: number) => ms >= fromMs - slackMs && ms <= toMs + slackMs;
  if (start === undefined || end === undefined || !isInside(start) || !isInside(end) || end < start) return undefined;
  const clamp = (ms: number) => Math.min(Math.max(ms, fromMs), toMs);
  // It is seen until the next picture, which no longer shows it.
  const nextMs = Math.round(end + 1000 / framesPerSecond);
  return { startMs: clamp(start), endMs: clamp(nextMs) };
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
