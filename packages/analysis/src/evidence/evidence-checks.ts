import type { Leaf } from "@video-to-json/contract";
import type { VideoRun } from "../analysis-provider.ts";
import type { SecondLookFindings } from "../second-look/findings.ts";

/** Looks again at parts of the video. Each function rejects when it cannot look, or when the run ends. */
export type EvidenceChecks = {
  /**
   * Reads the text on the frame at a time, in milliseconds: all of it, or only what is nearly white. Null where this
   * machine cannot read it.
   */
  readScreen(frame: { atMs: number; reading: "all" | "bright" }, run: VideoRun): Promise<string | null>;
  /** Returns the words between two times, in milliseconds. Empty if nobody speaks there; null where nobody can listen. */
  hear(span: { fromMs: number; toMs: number }, run: VideoRun): Promise<string | null>;
  /** Looks at the times of the answer, whose leaves these are. A leaf that is not in the result is no time. */
  checkTimes(leaves: readonly Leaf[], run: VideoRun): Promise<SecondLookFindings>;
};
