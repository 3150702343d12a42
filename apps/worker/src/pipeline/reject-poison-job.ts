import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";

const maxFailedClaims = 5;

/**
 * Throws Problem `internal_error` for a job with five claims that failed, or that another claim took, on two workers at
 * least. Throws another error if all of them were one worker's: the fault may be that worker's.
 */
export function rejectPoisonJob(job: Pick<ClaimedJob, "failedClaims" | "failedWorkers">): void {
  if (job.failedClaims < maxFailedClaims) return;
  if (job.failedWorkers < 2) throw new Error("One worker alone has failed the job five times. Another one has to try.");
  throw new Problem("internal_error", { reason: "The job failed repeatedly in the service." });
}
