import { and, desc, eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { isOpen } from "../jobs/open-job.ts";
import { jobs } from "../tables/jobs.ts";
import { addWaiter } from "./add-waiter.ts";

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
