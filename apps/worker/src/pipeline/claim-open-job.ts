import { Problem } from "@video-to-json/contract";
import { type ClaimedJob, claimJob, type Db } from "@video-to-json/database";

type Deps = { readonly db: Db };

/** A job that ended so many workers is not tried again. */
const mostClaims = 5;

/**
 * Claims a job: raises its fence, so that an earlier claim can write no more. Undefined when there is nothing to do: the
 * job is over, or past its deadline.
 */
export function claimOpenJob({ db }: Deps, jobId: string): Promise<ClaimedJob | undefined> {
  return claimJob(db, jobId);
}

/** Throws internal_error for a job that has failed too many workers. */
export function refuseWorn(job: ClaimedJob): void {
  if (job.fence <= mostClaims) return;
  throw new Problem("internal_error", "The job failed on our side again and again. Nothing was charged; retry.");
}
