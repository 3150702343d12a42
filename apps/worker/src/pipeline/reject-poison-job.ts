import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";

const maxFailedClaims = 5;

/** Throws Problem `internal_error` for a job with five claims that failed, or that another claim took. */
export function rejectPoisonJob(job: Pick<ClaimedJob, "failedClaims">): void {
  if (job.failedClaims < maxFailedClaims) return;
  throw new Problem("internal_error", { reason: "The job failed repeatedly in the service." });
}
