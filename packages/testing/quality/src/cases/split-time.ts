import type { Draw } from "./draw.ts";

/** Returns spans that follow each other without a gap and fill a video. All but the last start on whole seconds. */
export function splitTime(
  draw: Draw,
  { durationMs, count, minMs }: { durationMs: number; count: number; minMs: number },
) {
  const seconds = Math.floor(durationMs / 1000);
  const least = Math.ceil(minMs / 1000);
  const spare = Math.max(0, seconds - count * least);
  const cuts = Array.from({ length: count - 1 }, () => draw.whole(0, spare)).sort((a, b) => a - b);
  const starts = [0, ...cuts.map((cut, index) => (cut + (index + 1) * least) * 1000)];
  return starts.map((startMs, index) => ({ startMs, endMs: starts[index + 1] ?? durationMs }));
}
