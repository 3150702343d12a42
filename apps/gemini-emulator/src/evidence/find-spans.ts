import type { Span } from "./evidence.ts";

type Rules = {
  /** Length of one step, in milliseconds. */
  stepMs: number;
  /** Shorter runs do not count. */
  leastMs: number;
  /** Runs that are no further apart are one. */
  joinMs?: number;
};

/** The stretches of steps that hold, as spans. */
export function findSpans(steps: readonly boolean[], { stepMs, leastMs, joinMs = 0 }: Rules): Span[] {
  const runs: Span[] = [];
  for (const [index, holds] of steps.entries()) {
    if (!holds) continue;
    const startMs = index * stepMs;
    const last = runs.at(-1);
    if (last && startMs - last.endMs <= joinMs) last.endMs = startMs + stepMs;
    else runs.push({ startMs, endMs: startMs + stepMs });
  }
  return runs.filter(({ startMs, endMs }) => endMs - startMs >= leastMs);
}
