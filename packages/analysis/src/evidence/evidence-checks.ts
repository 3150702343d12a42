import type { VideoRun } from "../analysis-provider.ts";
import type { SecondLookFindings } from "../second-look/findings.ts";

/** The findings about the times of an answer, under their pointers. A leaf without one is no time. */
type TimeChecks = {
  findings: SecondLookFindings;
  /** A second look has written the times that moved into the answer. */
  isCorrected: boolean;
};

/** Looks again at parts of the video. Each function rejects when it cannot look, or when the run ends. */
export type EvidenceChecks = {
  /**
   * Reads the text on the frame at a time, in milliseconds: all of it, or only what is nearly white. Null where this
   * machine cannot read it.
   */
  readScreen(frame: { atMs: number; reading: "all" | "bright" }, run: VideoRun): Promise<string | null>;
  /** Returns the words between two times, in milliseconds. Empty if nobody speaks there; null where nobody can listen. */
  hear(span: { fromMs: number; toMs: number }, run: VideoRun): Promise<string | null>;
  /** Looks at the times of the answer, or returns what a second look found out about them. */
  checkTimes(run: VideoRun): Promise<TimeChecks>;
};
