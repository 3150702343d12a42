import type { Span } from "./evidence.ts";
import { findSpans } from "./find-spans.ts";
import { levelMs } from "./read-levels.ts";

const silentBelow = -50;
const quietest = -42;
const belowPeak = 9;

/** Where it is silent, and where it is about as loud as it gets. */
export function findLoudness(levels: readonly number[]): { silent: Span[]; loud: Span[] } {
  const peak = levels.reduce((most, level) => Math.max(most, level), -120);
  const loudFrom = Math.max(quietest, peak - belowPeak);
  const spans = {
    silent: findSpans(
      levels.map((level) => level < silentBelow),
      { stepMs: levelMs, leastMs: 400, joinMs: 50 },
    ),
    loud: findSpans(
      levels.map((level) => level >= loudFrom),
      { stepMs: levelMs, leastMs: 100, joinMs: 300 },
    ),
  };
  return { silent: spans.silent.map(snap), loud: spans.loud.map(snap) };
}

const smearMs = 100;

/** Lossy codecs smear sound over a few hundredths of a second: an edge that near a whole second is on it. */
function snap({ startMs, endMs }: Span): Span {
  const toSecond = (ms: number) => {
    const whole = Math.round(ms / 1000) * 1000;
    return Math.abs(ms - whole) <= smearMs ? whole : ms;
  };
  return { startMs: toSecond(startMs), endMs: toSecond(endMs) };
}
