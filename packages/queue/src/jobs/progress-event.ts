import { isUuid, type JobProgress, jobStages } from "@video-to-json/contract";

/**
 * Progress as workers publish it. A worker of an earlier release does not name the job: its ticket has the job's id.
 */
export type PublishedProgress = { jobId: string | undefined; progress: JobProgress };

/** Parses published progress from Redis, which is untrusted. Returns undefined if it is not valid. */
export function parseProgress(data: unknown): PublishedProgress | undefined {
  if (typeof data !== "object" || data === null || !("stage" in data)) return undefined;
  const stage = jobStages.find((known) => known === data.stage);
  if (!stage) return undefined;
  const jobId = "jobId" in data && typeof data.jobId === "string" && isUuid(data.jobId) ? data.jobId : undefined;
  const attempt = "attempt" in data ? data.attempt : undefined;
  if (attempt === undefined) return { jobId, progress: { stage } };
  if (!Number.isSafeInteger(attempt) || Number(attempt) <= 0) return undefined;
  return { jobId, progress: { stage, attempt: Number(attempt) } };
}
