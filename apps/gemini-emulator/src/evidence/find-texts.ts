import type { Span } from "./evidence.ts";
import type { FrameMeasure } from "./frame-track.ts";
import { frameSize } from "./frame-track.ts";

/** What is written, and while it stays. */
export type Writing = Span & { text: string };

const mostLooks = 40;
const longestUnseenMs = 5000;
const shortestMs = 200;

/**
 * Reads the picture once in every stretch that could hold its own writing: between cuts, and between sudden changes of
 * a small part of the picture. The same text in stretches that touch is one.
 */
export async function findTexts(
  frames: readonly FrameMeasure[],
  cuts: readonly number[],
  read: (atMs: number) => Promise<string | null>,
): Promise<Writing[]> {
  const found: Writing[] = [];
  for (const { startMs, endMs } of stretches(frames, cuts)) {
    const text = await read((startMs + endMs) / 2);
    if (!text) continue;
    const last = found.at(-1);
    if (last && last.endMs === startMs && alike(last.text, text)) last.endMs = endMs;
    else found.push({ startMs, endMs, text });
  }
  return found;
}

function stretches(frames: readonly FrameMeasure[], cuts: readonly number[]): Span[] {
  const frameMs = 1000 / frameSize.perSecond;
  const changes = frames.flatMap((_, index) => (isLocalChange(frames, index) ? [index] : []));
  const inScenes = spansBetween(cuts, frames.length);
  let chosen = spansBetween(
    [...new Set([...cuts, ...changes])].sort((a, b) => a - b),
    frames.length,
  );
  if (chosen.length > mostLooks) chosen = inScenes;
  const halved = chosen.flatMap(([from, to]) => divide(frames, from, to));
  const all = (halved.length > mostLooks ? chosen : halved).slice(0, mostLooks);
  return all.map(([from, to]) => ({ startMs: from * frameMs, endMs: to * frameMs }));
}

function spansBetween(bounds: readonly number[], end: number): [number, number][] {
  const edges = [0, ...bounds.filter((bound) => bound > 0 && bound < end), end];
  const spans = edges.slice(1).map((to, index): [number, number] => [edges[index] as number, to]);
  const least = (shortestMs / 1000) * frameSize.perSecond;
  return spans.filter(([from, to]) => to - from >= least || end < least);
}

/** A long stretch in which something moves may hold writing that came and went softly. */
function divide(frames: readonly FrameMeasure[], from: number, to: number): [number, number][] {
  const pieces = Math.ceil((to - from) / ((longestUnseenMs / 1000) * frameSize.perSecond));
  const moves = frames.slice(from + 1, to).some(({ changed }) => changed > 0);
  if (pieces < 2 || !moves) return [[from, to]];
  const length = Math.ceil((to - from) / pieces);
  return Array.from({ length: pieces }, (_, index) => [
    from + index * length,
    Math.min(to, from + (index + 1) * length),
  ]);
}

function isLocalChange(frames: readonly FrameMeasure[], index: number): boolean {
  const { changed = 0 } = frames[index] ?? {};
  if (index === 0 || changed < 0.002) return false;
  const near = [-3, -2, -1, 1, 2, 3].map((step) => frames[index + step]?.changed ?? 0);
  return near.every((other) => other < changed / 3);
}

function alike(one: string, other: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return plain(one) === plain(other);
}
