import { billedSeconds, type Limits, Problem } from "@video-to-json/contract";
import { type ClaimedJob, type Db, retryWhileUnavailable } from "@video-to-json/database";
import { hold } from "@video-to-json/ledger";
import { JobTaken } from "./stop-reasons.ts";

type Deps = { readonly db: Db; readonly limits: Pick<Limits, "minimumBilledSeconds"> };

/**
 * Holds what the job will cost before any model time is spent, and gives it in seconds
 * (docs/decisions/0001, "Money"). Throws out_of_minutes when the balance does not cover it.
 */
export async function holdSeconds(deps: Deps, job: ClaimedJob, video: { durationMs: number }): Promise<number> {
  const seconds = billedSeconds(video.durationMs, deps.limits.minimumBilledSeconds);
  const { id: jobId, fence, accountId } = job;
  const outcome = await retryWhileUnavailable(() => hold(deps.db, { jobId, fence, accountId, seconds }));
  switch (outcome) {
    case "held":
      return seconds;
    case "out_of_minutes":
      throw new Problem("out_of_minutes", { neededSeconds: seconds });
    case "job_over":
      throw new JobTaken();
    default:
      return outcome satisfies never;
  }
}
