import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Db, Tx } from "../connection/open-database.ts";
import { isOpen } from "../jobs/change-job.ts";
import { jobs, jobWaiters } from "../tables/jobs.ts";

/** Adds a call to the waiters of a job. Safe to repeat. The caller has already locked the account's row. */
export async function addWaiter(tx: Tx, waiter: { jobId: string; callId: string }): Promise<void> {
  await tx.insert(jobWaiters).values(waiter).onConflictDoNothing();
}

type Join = {
  accountId: string;
  requestHash: string;
  callId: string;
  mayCancel: boolean;
};

/**
 * Joins a call to the newest open job of an identical request of the same account. If the call may not cancel
 * (`mayCancel`), no call may cancel the job from then on. Safe to repeat. The caller has already locked the account's
 * row.
 *
 * @returns the job's id, or undefined if there is no such job.
 */
export async function joinOpenJob(
  tx: Tx,
  { accountId, requestHash, callId, mayCancel }: Join,
): Promise<string | undefined> {
  const [job] = await tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(eq(jobs.accountId, accountId), eq(jobs.requestHash, requestHash), isOpen, sql`${jobs.deadlineAt} > now()`),
    )
    .orderBy(desc(jobs.createdAt))
    .limit(1)
    .for("no key update");
  if (!job) return undefined;
  await addWaiter(tx, { jobId: job.id, callId });
  if (!mayCancel) await tx.update(jobs).set({ cancellable: false }).where(eq(jobs.id, job.id));
  return job.id;
}

/** Returns the id of the job that a call waits for; undefined if it waits for no job. */
export async function findJoinedJob(db: Db, callId: string): Promise<string | undefined> {
  const [waiter] = await db.select({ jobId: jobWaiters.jobId }).from(jobWaiters).where(eq(jobWaiters.callId, callId));
  return waiter?.jobId;
}

/**
 * Removes a call that may cancel from the waiters of a job. Safe to repeat: only the first call removes it. The caller
 * has already locked the account's row.
 *
 * @returns whether it was the last waiter of an open job that all its waiters may cancel.
 */
export async function withdrawWaiter(tx: Tx, { jobId, callId }: { jobId: string; callId: string }): Promise<boolean> {
  const isJob = eq(jobWaiters.jobId, jobId);
  const removed = await tx
    .delete(jobWaiters)
    .where(and(isJob, eq(jobWaiters.callId, callId)))
    .returning({ callId: jobWaiters.callId });
  if (removed.length === 0 || (await tx.$count(jobWaiters, isJob)) > 0) return false;
  return (await tx.$count(jobs, and(eq(jobs.id, jobId), isOpen, jobs.cancellable))) > 0;
}

/** Deletes waiters older than two days, of jobs that are no longer open: at most `limit`. Returns how many. */
export async function deleteOldWaiters(db: Db, { limit }: { limit: number }): Promise<number> {
  const old = db
    .select({ callId: jobWaiters.callId })
    .from(jobWaiters)
    .where(lt(jobWaiters.createdAt, sql`now() - interval '2 days'`))
    .limit(limit);
  const deleted = await db
    .delete(jobWaiters)
    .where(inArray(jobWaiters.callId, old))
    .returning({ callId: jobWaiters.callId });
  return deleted.length;
}
