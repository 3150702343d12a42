import type { components } from "../generated/interface.gen.ts";
import type { ScheduledRetry } from "../http/retry.ts";

/** The stage of a job, and the number of the question to the model: 1, 2 or 3. */
export type JobProgress = components["schemas"]["ProgressEvent"];

/**
 * A step of an extraction.
 *
 * - `uploading`: bytes of the video sent so far. They count from 0 again after `retrying`. `totalBytes` is Infinity
 *   for a stream of unknown length.
 * - `waiting`: everything was sent. Reported at once, every second, and when the job changes, with the milliseconds
 *   since the upload. `jobId` follows within a second; `job` is its progress, if the service reports it.
 * - `retrying`: a try failed for `reason`; try number `attempt` starts in `delayMs` milliseconds.
 */
export type Progress =
  | { stage: "uploading"; sentBytes: number; totalBytes: number }
  | { stage: "waiting"; elapsedMs: number; jobId?: string; job?: JobProgress }
  | ({ stage: "retrying" } & ScheduledRetry);

const intervalMs = 1000;

/** The wait of one call for its answer. */
export type Waiting = {
  /** Starts the clock and reports at once, then every second. */
  start(): void;
  /** Adds new facts about the job and reports them. */
  found(job: { jobId?: string; progress?: JobProgress }): void;
  /** Stops the reports and forgets the job. */
  stop(): void;
  /** Milliseconds since `start`; 0 before. */
  elapsedMs(): number;
};

/** Creates the wait of one call. It reports the progress `waiting`. */
export function createWaiting(report: (progress: Progress) => void): Waiting {
  let startedAt: number | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let job: { jobId?: string; job?: JobProgress } = {};
  const elapsedMs = () => (startedAt === undefined ? 0 : Date.now() - startedAt);
  const tell = () => report({ stage: "waiting", elapsedMs: elapsedMs(), ...job });
  return {
    start() {
      startedAt = Date.now();
      tell();
      timer = setInterval(tell, intervalMs);
    },
    found({ jobId, progress }) {
      const isNew = (jobId !== undefined && jobId !== job.jobId) || progress !== undefined;
      job = { ...job, ...(jobId !== undefined && { jobId }), ...(progress && { job: progress }) };
      if (isNew && timer !== undefined) tell();
    },
    stop() {
      clearInterval(timer);
      startedAt = undefined;
      timer = undefined;
      job = {};
    },
    elapsedMs,
  };
}
