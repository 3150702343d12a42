/** Why a run of ffmpeg or ffprobe gave no result. `timeout` and `output-too-large` are our limits; it was killed. */
export type FfmpegFailureReason = "exit" | "timeout" | "aborted" | "output-too-large";

type FailureFacts = {
  reason: FfmpegFailureReason;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The last few thousand characters of what it printed; for the log, never for a caller. */
  stderr: string;
};

/** A run of ffmpeg or ffprobe that failed or was stopped. Never shown to a caller as it is. */
export class FfmpegFailure extends Error {
  readonly reason: FfmpegFailureReason;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;

  constructor(program: string, facts: FailureFacts) {
    super(`${program}: ${facts.reason} (exit code ${facts.exitCode}, signal ${facts.signal})`);
    this.name = "FfmpegFailure";
    this.reason = facts.reason;
    this.exitCode = facts.exitCode;
    this.signal = facts.signal;
    this.stderr = facts.stderr;
  }
}
