import { isJsonObject, type VideoPart } from "@video-to-json/contract";
import type { Claim, ClaimedSpan } from "./claim.ts";

/** More spans than this do not help a reader. */
const maxSpans = 8;
const maxQuoteCharacters = 300;
/** A time in whole seconds covers this many milliseconds. */
const secondMs = 1_000;

type About = {
  pointers: ReadonlySet<string>;
  /** The part of the video that the model has seen. The model counts from the start of this part. */
  seen: VideoPart;
};

/**
 * Reads the model's answer to the question for evidence, which is untrusted. Drops entries about unknown fields,
 * without valid times, or outside the part that the model has seen. Moves ends past that part to its end. Returns the
 * claims by JSON pointer; an empty map for text that is not an answer.
 */
export function readClaims(text: string, about: About): Map<string, Claim> {
  const claims = new Map<string, Claim>();
  const answer = parse(text);
  for (const entry of isJsonObject(answer) && Array.isArray(answer.fields) ? answer.fields : []) {
    if (!isJsonObject(entry) || typeof entry.pointer !== "string") continue;
    if (!about.pointers.has(entry.pointer) || claims.has(entry.pointer)) continue;
    const spans = Array.isArray(entry.spans) ? entry.spans.flatMap((span) => readSpan(span, about.seen) ?? []) : [];
    const inOrder = distinct(spans).sort((a, b) => a.start_ms - b.start_ms || a.end_ms - b.end_ms);
    claims.set(entry.pointer, {
      isWholeVideo: entry.where === "whole_video" && spans.length === 0,
      spans: inOrder.slice(0, maxSpans),
    });
  }
  return claims;
}

function readSpan(span: unknown, { fromMs, toMs }: VideoPart): ClaimedSpan | undefined {
  if (!isJsonObject(span)) return undefined;
  const [start, end] = [readTime(span.from), readTime(span.to)];
  if (start === undefined || end === undefined || end < start || start > toMs - fromMs) return undefined;
  const { modality } = span;
  if (modality !== "visual" && modality !== "speech" && modality !== "text") return undefined;
  const end_ms = Math.min(fromMs + (end === start ? end + secondMs : end), toMs);
  return { start_ms: fromMs + start, end_ms, modality, quote: readQuote(span.quote) };
}

/** Returns a time (`MM:SS`, `H:MM:SS`, with a fraction or without) in milliseconds. */
function readTime(value: unknown): number | undefined {
  const [, hours = "0", minutes, seconds] =
    (typeof value === "string" && /^\s*(?:(\d{1,2}):)?(\d{1,3}):(\d{1,2}(?:\.\d{1,3})?)\s*$/.exec(value)) || [];
  if (minutes === undefined || seconds === undefined || Number(seconds) >= 60) return undefined;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

function readQuote(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const quote = value.toWellFormed().replace(/\s+/g, " ").trim();
  return [...quote].slice(0, maxQuoteCharacters).join("") || null;
}

function distinct(spans: readonly ClaimedSpan[]): ClaimedSpan[] {
  return [...new Map(spans.map((span) => [JSON.stringify(span), span])).values()];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
