import { overdueProblem } from "@video-to-json/contract";
import { type Db, findOverdueJobs } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/ledger";
import type { Logger } from "@video-to-json/telemetry";

type Deps = { readonly db: Db; readonly log: Pick<Logger, "warn"> };

/**
 * Fails the jobs whose deadline has passed and releases their holds. A job that cannot be failed now, because its
 * account is locked, does not delay the others. Returns how many jobs it failed.
 */
export async function failOverdueJobs({ db, log }: Deps): Promise<number> {
  let failed = 0;
  for (const { id, startedAt } of await findOverdueJobs(db, { limit: 100 })) {
    try {
      if (await failAndRelease(db, { jobId: id, error: overdueProblem(startedAt !== null).toInside() })) failed++;
    } catch (error) {
      log.warn({ err: error, jobId: id }, "overdue job could not be failed; trying again");
    }
  }
  return failed;
}
