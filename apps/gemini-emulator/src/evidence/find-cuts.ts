import { colorDistance, type FrameMeasure } from "./frame-track.ts";

const leastDifference = 6;
const leastChanged = 0.3;
const newColors = 0.4;
const spike = 3;
const window = 12;
const flashFrames = 4;

/** Indices of the frames that begin a new shot by a hard cut. Motion, noise, fades and single flashes are none. */
export function findCuts(frames: readonly FrameMeasure[]): number[] {
  const candidates = frames.flatMap((_, index) => (index > 0 && isCut(frames, index) ? [index] : []));
  return withoutFlashes(frames, candidates);
}

function isCut(frames: readonly FrameMeasure[], index: number): boolean {
  const { difference, changed, recolored } = frames[index] as FrameMeasure;
  if (difference < leastDifference || changed < leastChanged) return false;
  const before = frames[index - 1]?.difference ?? 0;
  const after = frames[index + 1]?.difference ?? 0;
  if (before >= difference || after > difference) return false;
  // A new picture stands alone; in a fade every frame differs about as much as the last.
  if (recolored >= newColors) return Math.max(before, after) < difference / 2 || isBetweenCalm(frames, index);
  return difference >= spike * usualDifference(frames, index);
}

function isBetweenCalm(frames: readonly FrameMeasure[], index: number): boolean {
  const around = [index - 3, index - 2, index + 2, index + 3].map((at) => frames[at]?.difference ?? 0);
  return around.every((difference) => difference < leastDifference);
}

/** Median of the differences near a frame, still frames left out: a source of few frames a second repeats them. */
function usualDifference(frames: readonly FrameMeasure[], index: number): number {
  const near = frames.slice(Math.max(1, index - window), index + window + 1);
  const moving = near.filter((frame) => frame !== frames[index] && frame.difference > 0.3);
  const sorted = moving.map(({ difference }) => difference).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** A picture that gives way for a few frames and comes back was interrupted by a flash; its return is no cut either. */
function withoutFlashes(frames: readonly FrameMeasure[], cuts: readonly number[]): number[] {
  const kept: number[] = [];
  let flashEnd = 0;
  for (const cut of cuts) {
    if (cut <= flashEnd) continue;
    flashEnd = endOfFlash(frames, cut) ?? 0;
    const last = kept.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (flashEnd === 0 && cut - last > flashFrames) kept.push(cut);
  }
  return kept;
}

function endOfFlash(frames: readonly FrameMeasure[], cut: number): number | undefined {
  const before = frames[cut - 1];
  if (!before || (frames[cut]?.recolored ?? 0) < newColors) return undefined;
  for (let index = cut + 1; index <= cut + flashFrames; index++) {
    const after = frames[index];
    if (after && colorDistance(before.colors, after.colors) < 0.15) return index;
  }
  return undefined;
}
