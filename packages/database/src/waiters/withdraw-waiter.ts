import { and, eq } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { isOpen } from "../jobs/open-job.ts";
import { jobWaiters } from "../tables/job-waiters.ts";
import { jobs } from "../tables/jobs.ts";

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
