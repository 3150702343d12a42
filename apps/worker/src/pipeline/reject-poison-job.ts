import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";

const maxClaims = 5;

/** Throws Problem `internal_error` for a job whose last five claims ended without a result. */
export function rejectPoisonJob(job: Pick<ClaimedJob, "fence">): void {
  if (job.fence <= maxClaims) return;
  throw new Problem("internal_error", { reason: "The job failed repeatedly in the service." });
}
