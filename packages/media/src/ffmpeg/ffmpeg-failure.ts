/** Why a run failed. `timeout` and `output-too-large`: it exceeded one of our limits and was killed. */
export type FfmpegFailureReason = "exit" | "timeout" | "aborted" | "output-too-large";

type FailureFacts = {
  reason: FfmpegFailureReason;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The last few thousand printed characters. For the log only. */
  stderr: string;
};

/** A run of ffmpeg or ffprobe that failed or was killed. Callers of the API never see it. */
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
