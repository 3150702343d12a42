import type { RunContext } from "@video-to-json/media";
import type { Evidence, Look, Span } from "./evidence.ts";
import { findCuts } from "./find-cuts.ts";
import { findLoudness } from "./find-loudness.ts";
import { findSpans } from "./find-spans.ts";
import { findTexts, type Writing } from "./find-texts.ts";
import type { FirstLook } from "./first-look.ts";
import { type FrameMeasure, type FrameTrack, frameSize, histogramEvery } from "./frame-track.ts";
import { paletteOf } from "./palette.ts";
import { readFrames } from "./read-frames.ts";
import { levelMs, readLevels } from "./read-levels.ts";
import { readTextAt } from "./read-text.ts";

const frameMs = 1000 / frameSize.perSecond;
const leastBlackMs = 400;
const leastFrozenMs = 2000;

/** Looks at a whole video: one pass over the picture, one over the sound, and a look at the writing in each scene. */
export async function gatherEvidence(
  path: string,
  first: FirstLook,
  context: RunContext & { signal: AbortSignal },
): Promise<Evidence> {
  const track = await readFrames(path, context);
  const levels = await readLevels(path, context);
  const { frames } = track;
  const measuredMs = Math.round(Math.max(frames.length * frameMs, (levels?.length ?? 0) * levelMs));
  const saidMs = first.durationMs ?? measuredMs;
  // The header is more exact where it is honest.
  const durationMs = Math.abs(saidMs - measuredMs) < 250 ? saidMs : measuredMs;
  const cuts = findCuts(frames);
  const writings = await findTexts(frames, cuts, (atMs) => readTextAt(path, atMs, first, context));
  const bounds = [0, ...cuts].map((frame) => frame * frameMs);
  const scenes = cuts
    .concat(0)
    .sort((a, b) => a - b)
    .map((_, index): Span => {
      return { startMs: bounds[index] ?? 0, endMs: bounds[index + 1] ?? durationMs };
    });
  const lookAt = (span: Span) => look(track, span, writings);
  return {
    durationMs,
    width: first.width,
    height: first.height,
    hasAudio: levels !== null,
    cuts: cuts.map((frame) => frame * frameMs),
    scenes: scenes.map((span) => ({ ...span, ...lookAt(span) })),
    black: findSpans(
      frames.map(({ isBlack }) => isBlack),
      { stepMs: frameMs, leastMs: leastBlackMs },
    ),
    frozen: frozenSpans(track),
    ...(levels ? findLoudness(levels) : { loud: [], silent: [{ startMs: 0, endMs: durationMs }] }),
    texts: writings.map((writing) => ({ ...lookAt(writing), ...writing })),
    look: lookAt({ startMs: 0, endMs: durationMs }),
  };
}

function look({ frames, histograms }: FrameTrack, { startMs, endMs }: Span, writings: readonly Writing[]): Look {
  const from = Math.floor(startMs / frameMs);
  const to = Math.max(from + 1, Math.floor(endMs / frameMs));
  const seen = frames.slice(from, to);
  const first = Math.ceil(from / histogramEvery);
  const last = Math.max(first + 1, Math.ceil(to / histogramEvery));
  const written = writings.find((writing) => writing.startMs < endMs && writing.endMs > startMs);
  return {
    palette: paletteOf(histograms.slice(first, last)),
    brightness: seen.reduce((sum, { luma }) => sum + luma, 0) / Math.max(1, seen.length),
    text: written?.text ?? null,
  };
}

/** Where the picture stands still. Black is told apart: it is not called frozen as well. */
function frozenSpans({ frames }: FrameTrack): Span[] {
  const spans: Span[] = [];
  for (const [index, { changed, difference, isBlack }] of frames.entries()) {
    if (index === 0 || isBlack || changed > 0 || difference >= 1) continue;
    const endMs = (index + 1) * frameMs;
    const last = spans.at(-1);
    if (last && last.endMs === index * frameMs) last.endMs = endMs;
    // A still scene stands from its cut on; a picture that comes to a halt, from the first frame that repeats it.
    else spans.push({ startMs: (opensScene(frames[index - 1], index) ? index - 1 : index) * frameMs, endMs });
  }
  return spans.filter(({ startMs, endMs }) => endMs - startMs >= leastFrozenMs);
}

function opensScene(before: FrameMeasure | undefined, index: number): boolean {
  return index === 1 || (before?.changed ?? 0) > 0.3;
}
