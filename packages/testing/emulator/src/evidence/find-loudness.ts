import type { Span } from "./evidence.ts";
import { findSpans } from "./find-spans.ts";
import { levelMs } from "./read-levels.ts";

/** Levels in decibels relative to full scale. Loud means close to the peak, but never below `minLoudLevel`. */
const maxSilentLevel = -50;
const minLoudLevel = -42;
const maxBelowPeak = 9;

/** Returns the silent spans, and the spans that are about as loud as the loudest part of the video. */
export function findLoudness(levels: readonly number[]): { silent: Span[]; loud: Span[] } {
  const peak = levels.reduce((max, level) => Math.max(max, level), -120);
  const loudFrom = Math.max(minLoudLevel, peak - maxBelowPeak);
  const spans = {
    silent: findSpans(
      levels.map((level) => level < maxSilentLevel),
      { stepMs: levelMs, minMs: 400, joinMs: 50 },
    ),
    loud: findSpans(
      levels.map((level) => level >= loudFrom),
      { stepMs: levelMs, minMs: 100, joinMs: 300 },
    ),
  };
  return { silent: spans.silent.map(snapToSeconds), loud: spans.loud.map(snapToSeconds) };
}

const maxSmearMs = 100;

/** Lossy codecs smear sound by up to 0.1 s. An edge that close to a whole second moves to that second. */
function snapToSeconds({ startMs, endMs }: Span): Span {
  const toSecond = (ms: number) => {
    const whole = Math.round(ms / 1000) * 1000;
    return Math.abs(ms - whole) <= maxSmearMs ? whole : ms;
  };
  return { startMs: toSecond(startMs), endMs: toSecond(endMs) };
}
