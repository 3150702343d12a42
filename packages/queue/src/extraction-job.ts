import type { JobsOptions } from "bullmq";

/** Name of the one queue, and of the one kind of job in it. */
export const extractionQueue = "extractions";

/** What travels through the queue: the id of a row, nothing else. */
export type ExtractionJobData = { jobId: string };

/**
 * Options of every extraction job. Nothing lingers once a job has ended, well or badly: the row in the database
 * tells what happened, and what the queue gave up on is put back from there.
 */
export function extractionJobOptions(jobId: string): JobsOptions {
  return {
    jobId,
    attempts: 3,
    backoff: { type: "exponential", delay: 500 },
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}

/** Parses what came out of the queue, which anything may have put there. Throws a TypeError. */
export function parseExtractionJobData(data: unknown): ExtractionJobData {
  const jobId = typeof data === "object" && data !== null && "jobId" in data ? data.jobId : undefined;
  if (typeof jobId !== "string" || !isJobId(jobId)) throw new TypeError("A job in the queue carries no job id.");
  return { jobId };
}

/** Whether this is a UUID, as every job id is. */
export function isJobId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
