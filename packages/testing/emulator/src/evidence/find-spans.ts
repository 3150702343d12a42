import type { Span } from "./evidence.ts";

type Rules = {
  /** The length of one step, in milliseconds. */
  stepMs: number;
  /** Shorter spans do not count. */
  minMs: number;
  /** Spans at most this far apart become one. */
  joinMs?: number;
};

/** Returns the spans of consecutive steps that are true. */
export function findSpans(steps: readonly boolean[], { stepMs, minMs, joinMs = 0 }: Rules): Span[] {
  const runs: Span[] = [];
  for (const [index, holds] of steps.entries()) {
    if (!holds) continue;
    const startMs = index * stepMs;
    const last = runs.at(-1);
    if (last && startMs - last.endMs <= joinMs) last.endMs = startMs + stepMs;
    else runs.push({ startMs, endMs: startMs + stepMs });
  }
  return runs.filter(({ startMs, endMs }) => endMs - startMs >= minMs);
}
