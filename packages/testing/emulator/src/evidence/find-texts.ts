import type { Span } from "./evidence.ts";
import { frameSize } from "./frame-size.ts";
import type { FrameMeasure } from "./frame-track.ts";

/** A text in the picture, and when it is visible. */
export type VisibleText = Span & { text: string };

const maxReads = 40;
const maxUnreadMs = 5000;
const minSpanMs = 200;

/**
 * Reads the picture once in every span that can have its own text: between cuts, and between sudden changes of a small
 * part of the picture. The same text in adjacent spans becomes one text.
 */
export async function findTexts(
  frames: readonly FrameMeasure[],
  cuts: readonly number[],
  read: (timesMs: readonly number[]) => Promise<(string | null)[]>,
): Promise<VisibleText[]> {
  const found: VisibleText[] = [];
  const spans = spansToRead(frames, cuts);
  const texts = await read(spans.map(({ startMs, endMs }) => (startMs + endMs) / 2));
  for (const [index, { startMs, endMs }] of spans.entries()) {
    const text = texts[index];
    if (!text) continue;
    const last = found.at(-1);
    if (last && last.endMs === startMs && isSameText(last.text, text)) last.endMs = endMs;
    else found.push({ startMs, endMs, text });
  }
  return found;
}

function spansToRead(frames: readonly FrameMeasure[], cuts: readonly number[]): Span[] {
  const frameMs = 1000 / frameSize.perSecond;
  const changes = frames.flatMap((_, index) => (isLocalChange(frames, index) ? [index] : []));
  const inScenes = spansBetween(cuts, frames.length);
  let chosen = spansBetween(
    [...new Set([...cuts, ...changes])].sort((a, b) => a - b),
    frames.length,
  );
  if (chosen.length > maxReads) chosen = inScenes;
  const halved = chosen.flatMap(([from, to]) => divide(frames, from, to));
  const all = (halved.length > maxReads ? chosen : halved).slice(0, maxReads);
  return all.map(([from, to]) => ({ startMs: from * frameMs, endMs: to * frameMs }));
}

function spansBetween(bounds: readonly number[], end: number): [number, number][] {
  const edges = [0, ...bounds.filter((bound) => bound > 0 && bound < end), end];
  const spans = edges.slice(1).map((to, index): [number, number] => [edges[index] as number, to]);
  const minFrames = (minSpanMs / 1000) * frameSize.perSecond;
  return spans.filter(([from, to]) => to - from >= minFrames || end < minFrames);
}

/** Divides a long span with motion: text can fade in and out there without a sudden change. */
function divide(frames: readonly FrameMeasure[], from: number, to: number): [number, number][] {
  const pieces = Math.ceil((to - from) / ((maxUnreadMs / 1000) * frameSize.perSecond));
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

function isSameText(one: string, other: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return plain(one) === plain(other);
}
