import type { ErrorInside } from "@video-to-json/contract";
import { eq } from "drizzle-orm";
import { lockAccountOfJob } from "../accounts/lock-account.ts";
import type { Db } from "../connection/open-database.ts";
import { failJob } from "../jobs/end-job.ts";
import { holds } from "../tables/money.ts";
import { withdrawWaiter } from "../waiters/withdraw-waiter.ts";

/**
 * Cancels an open job for one of its waiters, a call that may cancel. When the last waiter cancels, the job fails with
 * `error`, without charge. A job with a hold continues: the provider is about to be paid, and the answer must not be
 * lost. Safe to repeat. Returns whether this call failed the job.
 */
export function cancel(
  db: Db,
  { jobId, callId, error }: { jobId: string; callId: string; error: ErrorInside },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // Holds and joins need the same lock, so neither can come between the check and the end of the job.
    await lockAccountOfJob(tx, jobId);
    if (!(await withdrawWaiter(tx, { jobId, callId })) || (await tx.$count(holds, eq(holds.jobId, jobId))) > 0)
      return false;
    return failJob(tx, { id: jobId, error });
  });
}
