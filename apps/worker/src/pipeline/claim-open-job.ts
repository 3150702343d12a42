import { Problem } from "@video-to-json/contract";
import { type ClaimedJob, claimJob, type Db } from "@video-to-json/database";
import { endUncharged } from "@video-to-json/ledger";

type Deps = { readonly db: Db };

/** A job that ended so many workers is not tried again. */
const mostClaims = 5;

/**
 * Claims a job: raises its fence, so that an earlier claim can write no more. Undefined when there is nothing to do:
 * the job is over, past its deadline, or has failed too many workers (and is ended here, without charge).
 */
export async function claimOpenJob({ db }: Deps, jobId: string): Promise<ClaimedJob | undefined> {
  const job = await claimJob(db, jobId);
  if (!job || job.fence <= mostClaims) return job;
  const problem = new Problem(
    "internal_error",
    "The job failed on our side again and again. Nothing was charged; retry.",
  );
  await endUncharged(db, { jobId, error: problem.toInside() });
  return undefined;
}
