import { type JobProgress, jobStages } from "@video-to-json/contract";

/** Parses a progress event from Redis, which is untrusted. Returns undefined if it is not valid. */
export function parseProgress(data: unknown): JobProgress | undefined {
  if (typeof data !== "object" || data === null || !("stage" in data)) return undefined;
  const stage = jobStages.find((known) => known === data.stage);
  if (!stage) return undefined;
  const attempt = "attempt" in data ? data.attempt : undefined;
  if (attempt === undefined) return { stage };
  return Number.isSafeInteger(attempt) && Number(attempt) > 0 ? { stage, attempt: Number(attempt) } : undefined;
}
