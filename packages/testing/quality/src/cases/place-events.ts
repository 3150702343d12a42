import type { Draw } from "./draw.ts";

/** Where events may be. Times are milliseconds. */
export type Placement = { durationMs: number; count: number; minMs: number; maxMs: number };

/** The grid of the times: the length of a frame. */
const stepMs = 100;
const marginMs = 1000;

/**
 * Returns spans in order of time that do not overlap, in slots of equal length. Half of the starts are whole seconds. A
 * span is shortened to fit its slot.
 */
export function placeEvents(draw: Draw, { durationMs, count, minMs, maxMs }: Placement) {
  const slotMs = (durationMs - 2 * marginMs) / count;
  return Array.from({ length: count }, (_, index) => {
    const longest = Math.max(stepMs * 5, Math.min(maxMs, slotMs - marginMs));
    const length = draw.whole(Math.min(minMs, longest) / stepMs, Math.floor(longest / stepMs)) * stepMs;
    const room = Math.max(0, slotMs - length - marginMs);
    const unit = draw.chance(0.5) ? 1000 : stepMs;
    const from = marginMs + index * slotMs;
    const startMs = Math.ceil((from + draw.whole(0, Math.floor(room / stepMs)) * stepMs) / unit) * unit;
    return { startMs, endMs: Math.min(startMs + length, durationMs) };
  });
}
