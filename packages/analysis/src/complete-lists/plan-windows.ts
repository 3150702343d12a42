import type { ClipWindow } from "../clips/clip-question.ts";

/** How long a window is, and how much of it the next one shows again. */
export const windowLengthMs = 120_000;
const overlapMs = 20_000;

/** Returns overlapping windows that cover a part of a video, in order. None for a part that fits in one. */
export function planWindows({ fromMs, toMs }: ClipWindow): ClipWindow[] {
  if (toMs - fromMs <= windowLengthMs) return [];
  const stepMs = windowLengthMs - overlapMs;
  return Array.from({ length: Math.ceil((toMs - fromMs - overlapMs) / stepMs) }, (_, index) => ({
    fromMs: fromMs + index * stepMs,
    toMs: Math.min(toMs, fromMs + index * stepMs + windowLengthMs),
  }));
}
