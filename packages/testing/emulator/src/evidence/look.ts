import type { RunContext } from "@video-to-json/media";
import { findMarks } from "./marks.ts";
import { readTextsAt } from "./read-text.ts";
import { colorNames, type FirstFrame, type Frame, frameSize, levelMs, readFrames, readLevels } from "./tracks.ts";

/** A part of a video: its start and end in milliseconds. */
export type Span = { startMs: number; endMs: number };

/** Something that happens in a video, by sight, text, sound or speech (`via`). `video` holds facts about the whole. */
export type Mark = Span & { label: string; via: string; attributes: Record<string, string> };

/** What a video shows and plays. */
export type Evidence = {
  durationMs: number;
  hasAudio: boolean;
  /** The marks in order of time. */
  marks: Mark[];
  /** The pictures themselves say what happens (README, "Marks"). Otherwise the marks say what a short look finds. */
  isMarked: boolean;
};

/** The evidence of a request without a video. */
export const noEvidence: Evidence = { durationMs: 0, hasAudio: false, marks: [], isMarked: false };

/** The evidence of a clip, and what its clock shows in the first picture, or null if that cannot be read. */
export type ClipEvidence = { evidence: Evidence; clockMs: number | null };

/** Returns how long two spans overlap, in milliseconds. Not positive if they do not. */
export function overlap(one: Span, other: Span): number {
  return Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);
}

/** Returns what a clip shows with the times of its clock, or with its own times if the clock cannot be read. */
export function byClock({ evidence, clockMs }: ClipEvidence): Evidence {
  const laterMs = clockMs ?? 0;
  const marks = evidence.marks.map((mark) => ({
    ...mark,
    startMs: mark.startMs + laterMs,
    endMs: mark.endMs + laterMs,
  }));
  return { ...evidence, durationMs: evidence.durationMs + laterMs, marks };
}

const frameMs = 1000 / frameSize.perSecond;
/** The smallest difference at a cut, of 255, and the frames on each side that differ at most half as much. */
const minDifference = 6;
const calmFrames = 6;
const maxTexts = 40;
/** In decibels of full scale. */
const maxSilentLevel = -50;

type Options = { cropBottom?: number; withoutText?: boolean };

/** Finds the marks in the pictures, or else scenes, cuts, colours, texts, black, silence and sound. */
export async function look(
  path: string,
  firstFrame: FirstFrame,
  context: RunContext & { signal: AbortSignal },
  { cropBottom = 0, withoutText = false }: Options = {},
): Promise<Evidence> {
  const frames = await readFrames(path, context, cropBottom);
  const levels = firstFrame.hasSound ? await readLevels(path, context) : null;
  const measuredMs = Math.round(Math.max(frames.length * frameMs, (levels?.length ?? 0) * levelMs));
  const statedMs = firstFrame.durationMs ?? measuredMs;
  // The header is more exact than the measurement, unless it is wrong.
  const durationMs = Math.abs(statedMs - measuredMs) < 250 ? statedMs : measuredMs;
  const known = { durationMs, hasAudio: levels !== null };
  const silent = levels ? findLevels(levels, (level) => level < maxSilentLevel) : [{ startMs: 0, endMs: durationMs }];
  if (frames.some(({ strip }) => strip !== undefined)) {
    const strips = frames.map(({ strip }) => strip);
    return { ...known, marks: findMarks(strips, frameMs, silent), isMarked: true };
  }
  const starts = [0, ...findCuts(frames)];
  const scenes = starts.map((from, at) => ({ from, to: starts[at + 1] ?? frames.length }));
  const spans = scenes.map(({ from, to }, at): Span => {
    return { startMs: from * frameMs, endMs: at === scenes.length - 1 ? durationMs : to * frameMs };
  });
  const size = { width: firstFrame.width, height: firstFrame.height - cropBottom };
  const middles = scenes.slice(0, maxTexts).map(({ from, to }) => ((from + to) / 2) * frameMs);
  const texts = withoutText ? [] : await readTextsAt(path, middles, size, context, cropBottom);
  const isSilent = (span: Span) => silent.some((quiet) => overlap(quiet, span) > (span.endMs - span.startMs) / 2);
  const marks = [
    ...spans.map((span, at) => {
      const [color = "black"] = colorsOf(frames.slice(scenes[at]?.from, scenes[at]?.to));
      const summary = `A ${color} picture ${isSilent(span) ? "in silence" : "with sound"}.`;
      return mark("scene", span, { color, summary, ...(texts[at] ? { text: texts[at] } : {}) });
    }),
    ...spans.slice(1).map(({ startMs }) => mark("cut", { startMs, endMs: startMs })),
    ...textMarks(spans, texts),
    ...findSpans(frames.map(isBlack), frameMs, 400).map((span) => mark("black", span)),
    ...silent.map((span) => mark("silent", span)),
    ...(levels ? findLevels(levels, (level) => level >= maxSilentLevel) : []).map((span) => mark("sound", span)),
  ];
  const colors = colorsOf(frames);
  const title = texts.find((text) => text);
  const summary = `A video of ${Math.round(durationMs / 1000)} seconds in ${spans.length} scenes, mainly ${colors[0]}.`;
  const facts = {
    ...{
      color: colors.join(","),
      summary,
      duration: String(durationMs / 1000),
      resolution: `${size.width}x${size.height}`,
    },
    ...(title ? { text: title } : {}),
  };
  marks.sort((a, b) => a.startMs - b.startMs);
  return { ...known, marks: [mark("video", { startMs: 0, endMs: durationMs }, facts), ...marks], isMarked: false };
}

function mark(label: string, span: Span, attributes: Record<string, string> = {}): Mark {
  return { ...span, label, via: label === "text" ? "text" : "sight", attributes };
}

/** Returns the frames that start a scene. Motion, noise, fades and flashes change several frames in a row. */
function findCuts(frames: readonly Frame[]): number[] {
  return frames.flatMap(({ difference }, index) => {
    if (index === 0 || difference < minDifference) return [];
    const around = frames.slice(Math.max(1, index - calmFrames), index + calmFrames + 1);
    return around.filter((frame) => frame.difference > difference / 2).length > 1 ? [] : [index];
  });
}

function colorsOf(frames: readonly Frame[]): string[] {
  const sums = colorNames.map((name, at) => ({
    name,
    sum: frames.reduce((sum, { colors }) => sum + (colors[at] ?? 0), 0),
  }));
  const total = frames.length * frameSize.width * frameSize.height;
  return sums
    .filter(({ sum }) => sum > total / 50)
    .sort((a, b) => b.sum - a.sum)
    .map(({ name }) => name);
}

function isBlack({ colors }: Frame): boolean {
  return (colors[colorNames.indexOf("black")] ?? 0) >= 0.985 * frameSize.width * frameSize.height;
}

function textMarks(spans: readonly Span[], texts: readonly (string | null)[]): Mark[] {
  const marks: Mark[] = [];
  for (const [index, span] of spans.entries()) {
    const text = texts[index];
    const last = marks.at(-1);
    if (text && last?.attributes.text === text && last.endMs === span.startMs) last.endMs = span.endMs;
    else if (text) marks.push(mark("text", { ...span }, { text }));
  }
  return marks;
}

/** Returns the spans of steps that hold, without those that are shorter than `minMs`. */
function findSpans(steps: readonly boolean[], stepMs: number, minMs: number): Span[] {
  const spans: Span[] = [];
  for (const [index, holds] of steps.entries()) {
    const last = spans.at(-1);
    if (holds && last?.endMs === index * stepMs) last.endMs += stepMs;
    else if (holds) spans.push({ startMs: index * stepMs, endMs: (index + 1) * stepMs });
  }
  return spans.filter(({ startMs, endMs }) => endMs - startMs >= minMs);
}

/** Lossy codecs smear sound by up to 0.1 s. An edge that close to a whole second moves to that second. */
function findLevels(levels: readonly number[], holds: (level: number) => boolean): Span[] {
  const toSecond = (ms: number) =>
    Math.abs(ms - Math.round(ms / 1000) * 1000) <= 100 ? Math.round(ms / 1000) * 1000 : ms;
  return findSpans(levels.map(holds), levelMs, 400).map(({ startMs, endMs }) => {
    return { startMs: toSecond(startMs), endMs: toSecond(endMs) };
  });
}
