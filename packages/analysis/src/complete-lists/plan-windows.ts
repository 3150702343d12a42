import type { ClipWindow } from "../clips/clip-question.ts";

/** The length of a window, and the length of its overlap with the next one. */
export const windowLengthMs = 120_000;
const overlapMs = 20_000;

/**
 * Returns overlapping windows that cover a part of a video, in order. Returns an empty list for a part that fits into
 * one.
 */
export function planWindows({ fromMs, toMs }: ClipWindow): ClipWindow[] {
  if (toMs - fromMs <= windowLengthMs) return [];
  const stepMs = windowLengthMs - overlapMs;
  return Array.from({ length: Math.ceil((toMs - fromMs - overlapMs) / stepMs) }, (_, index) => ({
    fromMs: fromMs + index * stepMs,
    toMs: Math.min(toMs, fromMs + index * stepMs + windowLengthMs),
  }));
}
