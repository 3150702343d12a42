import type { Tx } from "../connection/open-database.ts";
import { jobWaiters } from "../tables/job-waiters.ts";

/** Adds a call to the waiters of a job. Safe to repeat. The caller has already locked the account's row. */
export async function addWaiter(tx: Tx, waiter: { jobId: string; callId: string }): Promise<void> {
  await tx.insert(jobWaiters).values(waiter).onConflictDoNothing();
}
