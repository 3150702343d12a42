import { type Limits, Problem } from "@video-to-json/contract";
import { type Db, listRecentJobs, type RecentJobs } from "@video-to-json/database";

type FailureLimits = Pick<Limits, "maxFailedExtractions" | "maxFailedPercent">;

/**
 * Returns rate_limited while too many of the account's jobs of the last hour failed with extraction_failed: more than a
 * fixed number, and more than a fixed share (docs/decisions/0001, "Failed work"). `Retry-After` is the time until one
 * of the two is no longer true, without further jobs.
 */
export async function refusalForFailures(
  db: Db,
  { accountId, recentJobs: recent }: { accountId: string; recentJobs: RecentJobs },
  limits: FailureLimits,
): Promise<Problem | undefined> {
  const max = recent.maxFailedExtractions ?? limits.maxFailedExtractions;
  const maxPercent = recent.maxFailedPercent ?? limits.maxFailedPercent;
  const isTooMuch = (failed: number, jobs: number) => failed > max && failed * 100 > jobs * maxPercent;
  if (!isTooMuch(recent.failed, recent.jobs)) return undefined;

  let { failed, jobs } = recent;
  let retryAfterSeconds = 1;
  for (const job of await listRecentJobs(db, accountId)) {
    if (!isTooMuch(failed, jobs)) break;
    jobs -= 1;
    if (job.failed) failed -= 1;
    retryAfterSeconds = Math.max(1, Math.ceil(job.leavesInSeconds));
  }
  const reason = `${recent.failed} of this account's ${recent.jobs} jobs of the last hour ended as extraction_failed. Loosen the schema, or mark speculative fields optional.`;
  return new Problem("rate_limited", { reason }, { retryAfterSeconds });
}
