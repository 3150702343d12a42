import type { JobsOptions } from "bullmq";

/** Name of the one queue, and of the one kind of job in it. */
export const extractionQueue = "extractions";

/** What travels through the queue: the id of a row, nothing else. */
export type ExtractionJobData = { jobId: string };

/**
 * Options of every extraction job. Nothing lingers once a job has ended, well or badly: the row in the database
 * tells what happened, and what the queue gave up on is put back from there. What fails in a worker waits 2, 4, 8 and
 * 16 s before the next one has it: where one worker is broken, the others get their chance before too many have failed.
 * A job that is handed back, or whose worker died, does not wait.
 */
export function extractionJobOptions(jobId: string): JobsOptions {
  return {
    jobId,
    attempts: 5,
    backoff: { type: "exponential", delay: 2_000 },
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
