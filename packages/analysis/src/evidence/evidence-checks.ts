import type { VideoRun } from "../analysis-provider.ts";
import type { SecondLookFindings } from "../second-look/findings.ts";

/** The findings about the times of an answer, by pointer. A leaf without a finding is not a time. */
type TimeChecks = {
  findings: SecondLookFindings;
  /** Whether a second look has written its moves into the answer. */
  isCorrected: boolean;
};

/**
 * The checks that look at parts of the video again. Each function rejects when it cannot look, or when the run ends.
 */
export type EvidenceChecks = {
  /**
   * Reads the text on the frame at a time, in milliseconds: all of it, or only the nearly white text. Null if this
   * machine cannot read text.
   */
  readScreen(frame: { atMs: number; reading: "all" | "bright" }, run: VideoRun): Promise<string | null>;
  /** Returns the words between two times, in milliseconds. Empty if nobody speaks there; null if nothing can listen. */
  hear(span: { fromMs: number; toMs: number }, run: VideoRun): Promise<string | null>;
  /** Looks at the times of the answer, or returns the findings of a second look that was taken before. */
  checkTimes(run: VideoRun): Promise<TimeChecks>;
};
