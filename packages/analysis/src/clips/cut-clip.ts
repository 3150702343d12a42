import type { ClipVideo } from "../analysis-provider.ts";
import type { ClipWindow } from "./clip-question.ts";

/** Cuts a clip of the job's video. Rejects when that fails, or when the signal aborts. */
export type CutClip = (window: ClipWindow, framesPerSecond: number, signal: AbortSignal) => Promise<CutOutClip>;

/** A clip with the clock of the whole video, and what was measured in it. Times are those of the whole video. */
export type CutOutClip = Pick<ClipVideo, "bytes" | "mimeType"> & {
  edges: { cutsMs: readonly number[]; silences: readonly { fromMs: number; toMs: number }[] };
};
