import { type JobProgress, jobStages } from "@video-to-json/contract";

/** Reads a progress event out of Redis, which anything may have put there; undefined if it is none. */
export function parseProgress(data: unknown): JobProgress | undefined {
  if (typeof data !== "object" || data === null || !("stage" in data)) return undefined;
  const stage = jobStages.find((known) => known === data.stage);
  if (!stage) return undefined;
  const attempt = "attempt" in data ? data.attempt : undefined;
  if (attempt === undefined) return { stage };
  return Number.isSafeInteger(attempt) && Number(attempt) > 0 ? { stage, attempt: Number(attempt) } : undefined;
}
