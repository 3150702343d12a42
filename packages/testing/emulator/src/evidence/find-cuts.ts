import { colorDistance, type FrameMeasure } from "./frame-track.ts";

/** The smallest mean difference of the channels at a cut, and the smallest share of changed pixels. */
const minDifference = 6;
const minChanged = 0.3;
/** The colour distance from which a frame has new colours. */
const minRecolored = 0.4;
/** Without new colours, a cut differs this many times as much as the frames around it. */
const minSpikeFactor = 3;
/** The frames on each side that count as around. */
const windowFrames = 12;
const maxFlashFrames = 4;

/** Returns the indices of the frames that start a shot by a hard cut. Motion, noise, fades and flashes do not count. */
export function findCuts(frames: readonly FrameMeasure[]): number[] {
  const candidates = frames.flatMap((_, index) => (index > 0 && isCut(frames, index) ? [index] : []));
  return withoutFlashes(frames, candidates);
}

function isCut(frames: readonly FrameMeasure[], index: number): boolean {
  const { difference, changed, recolored } = frames[index] as FrameMeasure;
  if (difference < minDifference || changed < minChanged) return false;
  const before = frames[index - 1]?.difference ?? 0;
  const after = frames[index + 1]?.difference ?? 0;
  if (before >= difference || after > difference) return false;
  // At a cut only one frame differs. In a fade each frame differs about as much as the one before.
  if (recolored >= minRecolored) return Math.max(before, after) < difference / 2 || isBetweenCalm(frames, index);
  return difference >= minSpikeFactor * usualDifference(frames, index);
}

function isBetweenCalm(frames: readonly FrameMeasure[], index: number): boolean {
  const around = [index - 3, index - 2, index + 2, index + 3].map((at) => frames[at]?.difference ?? 0);
  return around.every((difference) => difference < minDifference);
}

/** Returns the median difference near a frame. Repeated frames do not count: a source with a low frame rate has many. */
function usualDifference(frames: readonly FrameMeasure[], index: number): number {
  const near = frames.slice(Math.max(1, index - windowFrames), index + windowFrames + 1);
  const moving = near.filter((frame) => frame !== frames[index] && frame.difference > 0.3);
  const sorted = moving.map(({ difference }) => difference).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Removes flashes: the picture changes for a few frames and returns. Neither change counts as a cut. */
function withoutFlashes(frames: readonly FrameMeasure[], cuts: readonly number[]): number[] {
  const kept: number[] = [];
  let flashEnd = 0;
  for (const cut of cuts) {
    if (cut <= flashEnd) continue;
    flashEnd = endOfFlash(frames, cut) ?? 0;
    const last = kept.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (flashEnd === 0 && cut - last > maxFlashFrames) kept.push(cut);
  }
  return kept;
}

function endOfFlash(frames: readonly FrameMeasure[], cut: number): number | undefined {
  const before = frames[cut - 1];
  if (!before || (frames[cut]?.recolored ?? 0) < minRecolored) return undefined;
  for (let index = cut + 1; index <= cut + maxFlashFrames; index++) {
    const after = frames[index];
    if (after && colorDistance(before.colors, after.colors) < 0.15) return index;
  }
  return undefined;
}
