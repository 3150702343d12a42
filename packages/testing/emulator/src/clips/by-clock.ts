import type { Evidence, Span } from "../evidence/evidence.ts";
import type { ClipEvidence } from "./answer-clip.ts";

/** Returns what a clip shows with the times of its clock, or with its own times if the clock cannot be read. */
export function byClock({ evidence, clockMs }: ClipEvidence): Evidence {
  const laterMs = clockMs ?? 0;
  const shift = <T extends Span>(spans: readonly T[]): T[] =>
    spans.map((span) => ({ ...span, startMs: span.startMs + laterMs, endMs: span.endMs + laterMs }));
  return {
    ...evidence,
    durationMs: evidence.durationMs + laterMs,
    scenes: shift(evidence.scenes),
    black: shift(evidence.black),
    frozen: shift(evidence.frozen),
    loud: shift(evidence.loud),
    silent: shift(evidence.silent),
    texts: shift(evidence.texts),
    ...(evidence.marks ? { marks: shift(evidence.marks) } : {}),
  };
}
