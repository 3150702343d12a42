import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";

/** A job that ended so many workers is not tried again. */
const mostClaims = 5;

/** Throws internal_error for a job that has failed too many workers. */
export function rejectPoisonJob(job: Pick<ClaimedJob, "fence">): void {
  if (job.fence <= mostClaims) return;
  throw new Problem("internal_error", { reason: "The job failed repeatedly in the service." });
}
