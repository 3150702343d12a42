import { Problem } from "@video-to-json/contract";
import { type Db, findUnconfirmedJobs } from "@video-to-json/database";
import { failUnconfirmed } from "@video-to-json/database/money";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";

type Deps = { readonly db: Db; readonly log: Pick<Logger, "warn">; readonly metrics: Pick<WorkerMetrics, "jobsEnded"> };

/** Much longer than a live API takes to confirm a job, even with thousands of requests at once. */
const minAgeMs = 120_000;

/**
 * Fails the jobs that no API has confirmed, because it died before it knew whether their admission had committed.
 * Nothing is charged. Returns how many jobs it failed.
 */
export async function failUnconfirmedJobs({ db, log, metrics }: Deps): Promise<number> {
  const reason = "The service was interrupted before it could confirm the job.";
  const error = new Problem("provider_unavailable", { reason }).toInside();
  let failed = 0;
  for (const { id: jobId, accountId } of await findUnconfirmedJobs(db, { minAgeMs, limit: 100 })) {
    try {
      if (!(await failUnconfirmed(db, { jobId, accountId, error }))) continue;
      failed++;
      metrics.jobsEnded.inc({ outcome: error.code, by: "maintenance" });
    } catch (error) {
      log.warn({ err: error, jobId }, "unconfirmed job could not be failed; trying again");
    }
  }
  return failed;
}
