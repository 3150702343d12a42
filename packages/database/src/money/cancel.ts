import type { ErrorInside } from "@video-to-json/contract";
import { and, eq, sql } from "drizzle-orm";
import { lockAccountOfJob } from "../accounts/accounts.ts";
import type { Db } from "../connection/open-database.ts";
import { limitLockWait } from "../connection/statements.ts";
import { failJob, type JobEffort } from "../jobs/change-job.ts";
import { holds } from "../tables/money.ts";
import { withdrawWaiter } from "../waiters/waiters.ts";
import { addCost } from "./cost.ts";

type Failure = {
  jobId: string;
  /** The claim of the worker that calls. The job fails only if it still runs under this claim. */
  fence?: number;
  error: ErrorInside;
  /** For the Retry-After header of the waiting request. */
  retryAfterSeconds?: number;
  effort?: JobEffort | undefined;
  /** How long to wait for the account's lock, in milliseconds; 15,000 by default. */
  lockMs?: number;
};

/**
 * Fails an open job and releases its hold, in one transaction, without charge (specification, "States and
 * transitions"). Returns whether this call failed the job; a repeated call does nothing.
 */
export function failAndRelease(db: Db, { jobId, lockMs, ...failure }: Failure): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (lockMs !== undefined) await limitLockWait(tx, lockMs);
    const account = await lockAccountOfJob(tx, jobId);
    if (!(await failJob(tx, { id: jobId, ...failure }))) return false;
    if (account) await addCost(tx, account.id, failure.effort);
    await tx
      .update(holds)
      .set({ state: "released", endedAt: sql`now()` })
      .where(and(eq(holds.jobId, jobId), eq(holds.state, "held")));
    return true;
  });
}

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
