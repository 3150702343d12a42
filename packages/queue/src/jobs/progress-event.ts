import { isUuid, type JobProgress, jobStages } from "@video-to-json/contract";

/**
 * Parses a progress event from Redis, which is untrusted. Returns the progress and the id of its job, if the event has
 * one; undefined if the event is not valid.
 */
export function parseProgress(data: unknown): { jobId: string | undefined; progress: JobProgress } | undefined {
  if (typeof data !== "object" || data === null || !("stage" in data)) return undefined;
  const stage = jobStages.find((known) => known === data.stage);
  if (!stage) return undefined;
  const jobId = "jobId" in data && typeof data.jobId === "string" && isUuid(data.jobId) ? data.jobId : undefined;
  const attempt = "attempt" in data ? data.attempt : undefined;
  if (attempt === undefined) return { jobId, progress: { stage } };
  if (!Number.isSafeInteger(attempt) || Number(attempt) <= 0) return undefined;
  return { jobId, progress: { stage, attempt: Number(attempt) } };
}
