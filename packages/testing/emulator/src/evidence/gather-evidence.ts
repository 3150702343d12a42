import type { RunContext } from "@video-to-json/media";
import type { Appearance, Evidence, Span } from "./evidence.ts";
import { findCuts } from "./find-cuts.ts";
import { findLoudness } from "./find-loudness.ts";
import { findMarks } from "./find-marks.ts";
import { findSpans } from "./find-spans.ts";
import { findTexts, type VisibleText } from "./find-texts.ts";
import type { FirstFrame } from "./first-frame.ts";
import { frameSize } from "./frame-size.ts";
import { type FrameMeasure, type FrameTrack, histogramEvery } from "./frame-track.ts";
import { paletteOf } from "./palette.ts";
import { readFrames } from "./read-frames.ts";
import { levelMs, readLevels } from "./read-levels.ts";
import { readTextsAt } from "./read-text.ts";

const frameMs = 1000 / frameSize.perSecond;
const minBlackMs = 400;
const minFrozenMs = 2000;

/** Examines a whole video, without the lowest `cropBottom` rows of its picture, and without its texts if they do not matter: decodes the picture once and the sound once, and reads the text of each scene. */
export async function gatherEvidence(
  path: string,
  firstFrame: FirstFrame,
  context: RunContext & { signal: AbortSignal },
  { cropBottom = 0, withoutText = false }: { cropBottom?: number; withoutText?: boolean } = {},
): Promise<Evidence> {
  const track = await readFrames(path, context, cropBottom);
  const levels = firstFrame.hasSound ? await readLevels(path, context) : null;
  const { frames } = track;
  const measuredMs = Math.round(Math.max(frames.length * frameMs, (levels?.length ?? 0) * levelMs));
  const statedMs = firstFrame.durationMs ?? measuredMs;
  // The header is more exact than the measurement, unless it is wrong.
  const durationMs = Math.abs(statedMs - measuredMs) < 250 ? statedMs : measuredMs;
  const shown = { ...firstFrame, height: firstFrame.height - cropBottom };
  const cuts = findCuts(frames);
  // The marks say what is written. Reading it again would take most of the time.
  const isMarked = track.strips.some((strip) => strip !== undefined);
  const readTexts = (timesMs: readonly number[]) => readTextsAt(path, timesMs, shown, context, cropBottom);
  const visibleTexts = isMarked || withoutText ? [] : await findTexts(frames, cuts, readTexts);
  const bounds = [0, ...cuts].map((frame) => frame * frameMs);
  const scenes: Span[] = bounds.map((startMs, index) => ({ startMs, endMs: bounds[index + 1] ?? durationMs }));
  const appearanceIn = (span: Span) => appearanceOf(track, span, visibleTexts);
  const loudness = levels ? findLoudness(levels) : { loud: [], silent: [{ startMs: 0, endMs: durationMs }] };
  return {
    durationMs,
    width: firstFrame.width,
    height: firstFrame.height,
    hasAudio: levels !== null,
    scenes: scenes.map((span) => ({ ...span, ...appearanceIn(span) })),
    black: findSpans(
      frames.map(({ isBlack }) => isBlack),
      { stepMs: frameMs, minMs: minBlackMs },
    ),
    frozen: frozenSpans(track),
    ...loudness,
    ...(isMarked ? { marks: findMarks(track.strips, frameMs, loudness.silent) } : {}),
    texts: visibleTexts.map((text) => ({ ...appearanceIn(text), ...text })),
    appearance: appearanceIn({ startMs: 0, endMs: durationMs }),
  };
}

function appearanceOf(
  { frames, histograms }: FrameTrack,
  { startMs, endMs }: Span,
  visibleTexts: readonly VisibleText[],
): Appearance {
  const from = Math.floor(startMs / frameMs);
  const to = Math.max(from + 1, Math.floor(endMs / frameMs));
  const shown = frames.slice(from, to);
  const first = Math.ceil(from / histogramEvery);
  const last = Math.max(first + 1, Math.ceil(to / histogramEvery));
  const visible = visibleTexts.find((text) => text.startMs < endMs && text.endMs > startMs);
  return {
    palette: paletteOf(histograms.slice(first, last)),
    brightness: shown.reduce((sum, { luma }) => sum + luma, 0) / Math.max(1, shown.length),
    text: visible?.text ?? null,
  };
}

/** Returns the spans in which the picture does not change. A black picture does not count as frozen. */
function frozenSpans({ frames }: FrameTrack): Span[] {
  const spans: Span[] = [];
  for (const [index, { changed, difference, isBlack }] of frames.entries()) {
    if (index === 0 || isBlack || changed > 0 || difference >= 1) continue;
    const endMs = (index + 1) * frameMs;
    const last = spans.at(-1);
    if (last && last.endMs === index * frameMs) last.endMs = endMs;
    // A scene without motion is frozen from its cut. A picture that stops is frozen from its first repeated frame.
    else spans.push({ startMs: (startsScene(frames[index - 1], index) ? index - 1 : index) * frameMs, endMs });
  }
  return spans.filter(({ startMs, endMs }) => endMs - startMs >= minFrozenMs);
}

function startsScene(before: FrameMeasure | undefined, index: number): boolean {
  return index === 1 || (before?.changed ?? 0) > 0.3;
}
