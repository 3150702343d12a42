import type { components } from "../generated/interface.gen.ts";
import type { ScheduledRetry } from "../http/retry.ts";

/** What a job does now, and which question to the model it is: 1, 2 or 3. */
export type JobProgress = components["schemas"]["ProgressEvent"];

/**
 * A step of an extraction.
 *
 * - `uploading`: bytes of the video sent so far. They count from 0 again after `retrying`. `totalBytes` is Infinity for a
 *   stream that does not tell its length.
 * - `waiting`: everything is sent. Reported at once, every second, and when the job changes, with the milliseconds since
 *   the upload. `jobId` follows within a second; `job` is what the job does, as far as the service tells.
 * - `retrying`: a try failed for `reason`; try number `attempt` starts in `delayMs` milliseconds.
 */
export type Progress =
  | { stage: "uploading"; sentBytes: number; totalBytes: number }
  | { stage: "waiting"; elapsedMs: number; jobId?: string; job?: JobProgress }
  | ({ stage: "retrying" } & ScheduledRetry);
