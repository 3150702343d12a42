import type { ScheduledRetry } from "../http/retry.ts";

/**
 * A step of an extraction.
 *
 * - `uploading`: bytes of the video sent so far. They count from 0 again after `retrying`.
 * - `waiting`: everything is sent. Reported at once and then every second, with the milliseconds since the upload.
 * - `retrying`: a try failed for `reason`; try number `attempt` starts in `delayMs` milliseconds.
 */
export type Progress =
  | { stage: "uploading"; sentBytes: number; totalBytes: number }
  | { stage: "waiting"; elapsedMs: number }
  | ({ stage: "retrying" } & ScheduledRetry);
