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
