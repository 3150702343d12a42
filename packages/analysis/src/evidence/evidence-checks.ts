import type { EvidenceVerdict, Leaf } from "@video-to-json/contract";

/** What a narrow clip showed about a time of an answer. */
export type TimeCheck = {
  verdict: EvidenceVerdict;
  /** The clip, in milliseconds from the start of the whole video; null if none was looked at. */
  checked: { fromMs: number; toMs: number } | null;
  /** The hard cut nearest to the time; null if none is near. */
  nearestCutMs: number | null;
};

/** Looks again at parts of the video. Each function rejects when it cannot look, or when `signal` aborts. */
export type EvidenceChecks = {
  /**
   * Reads the text on the frame at a time, in milliseconds: all of it, or only what is nearly white. Null where this
   * machine cannot read it.
   */
  readScreen(frame: { atMs: number; reading: "all" | "bright" }, signal: AbortSignal): Promise<string | null>;
  /** Returns what is said between two times; null where the video has no sound. */
  hear(span: { fromMs: number; toMs: number }, signal: AbortSignal): Promise<string | null>;
  /** Looks at the times of an answer, by the pointers of their leaves. A leaf that is not in the result is no time. */
  checkTimes(leaves: readonly Leaf[], signal: AbortSignal): Promise<ReadonlyMap<string, TimeCheck>>;
};
