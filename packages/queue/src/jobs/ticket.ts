import { isUuid } from "@video-to-json/contract";
import type { JobsOptions } from "bullmq";

/** The name of the only queue, and of the only kind of job in it. */
export const extractionQueue = "extractions";

/** The data of a job in the queue: the id of a database row and nothing else. */
export type ExtractionJobData = { jobId: string };

/**
 * Returns the BullMQ options of an extraction job. The queue forgets a job as soon as it completes or fails for good:
 * the database holds the outcome, and requeues a job that the queue gave up. After a failure in a worker, the next
 * attempt waits 2, 4, 8 and 16 s, so that a broken worker does not use up all attempts before a healthy one gets the
 * job. A requeued job and the job of a dead worker do not wait.
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

/** Parses the data of a job from the queue, which is untrusted. Throws a TypeError. */
export function parseExtractionJobData(data: unknown): ExtractionJobData {
  const jobId = typeof data === "object" && data !== null && "jobId" in data ? data.jobId : undefined;
  if (typeof jobId !== "string" || !isUuid(jobId)) throw new TypeError("A job in the queue has no valid job id.");
  return { jobId };
}
