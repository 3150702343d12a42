import { eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobWaiters } from "../tables/job-waiters.ts";
import { jobs } from "../tables/jobs.ts";

/**
 * Adds a call to the waiters of a job. Safe to repeat. The caller has already locked the account's row.
 *
 * The waiters of a job together count as one in `jobs.cancellers`, where processes of earlier versions count theirs.
 */
export async function addWaiter(tx: Tx, waiter: { jobId: string; callId: string }): Promise<void> {
  const others = await tx.$count(jobWaiters, eq(jobWaiters.jobId, waiter.jobId));
  await tx.insert(jobWaiters).values(waiter).onConflictDoNothing();
  if (others > 0) return;
  await tx
    .update(jobs)
    .set({ cancellers: sql`${jobs.cancellers} + 1` })
    .where(eq(jobs.id, waiter.jobId));
}
