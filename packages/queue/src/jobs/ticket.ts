import { isUuid, type JobProgress, jobStages } from "@video-to-json/contract";
import type { JobsOptions } from "bullmq";

/** The name of the queue of tickets, and of the only kind of ticket in it. */
export const extractionQueue = "extractions";

/** How many events the queue keeps for listeners that reconnect, as BullMQ does. */
export const maxEvents = 10_000;

/**
 * Returns the BullMQ options of a ticket. The queue forgets a ticket as soon as its run ends: the database holds the
 * outcome of the job. A maintenance task puts back the ticket of a run that threw, so no delay depends on the clock of a
 * worker.
 */
export function ticketOptions(ticket: string): JobsOptions {
  return {
    jobId: ticket,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}

/** Progress as workers publish it. The job is not the one whose enqueueing added the ticket. */
export type PublishedProgress = { jobId: string; progress: JobProgress };

/** Parses published progress from Redis, which is untrusted. Returns undefined if it is not valid. */
export function parseProgress(data: unknown): PublishedProgress | undefined {
  if (typeof data !== "object" || data === null || !("stage" in data)) return undefined;
  const stage = jobStages.find((known) => known === data.stage);
  if (!stage) return undefined;
  if (!("jobId" in data) || typeof data.jobId !== "string" || !isUuid(data.jobId)) return undefined;
  const { jobId } = data;
  const attempt = "attempt" in data ? data.attempt : undefined;
  if (attempt === undefined) return { jobId, progress: { stage } };
  if (!Number.isSafeInteger(attempt) || Number(attempt) <= 0) return undefined;
  return { jobId, progress: { stage, attempt: Number(attempt) } };
}
