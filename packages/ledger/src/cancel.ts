import type { ErrorInside } from "@video-to-json/contract";
import { type Db, failJob, holds, lockAccountOfJob, withdrawWaiter } from "@video-to-json/database";
import { eq } from "drizzle-orm";

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
