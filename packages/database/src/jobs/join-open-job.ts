import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/**
 * Joins a request to the newest open job of an identical request of the same account. From the first request that may
 * not cancel (`mayCancel`) on, no request may cancel the job. Returns the job's id, or undefined if there is no such
 * job. The caller has locked the account's row before.
 */
export async function joinOpenJob(
  tx: Tx,
  { accountId, requestHash, mayCancel }: { accountId: string; requestHash: string; mayCancel: boolean },
): Promise<string | undefined> {
  const same = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(eq(jobs.accountId, accountId), eq(jobs.requestHash, requestHash), isOpen, sql`${jobs.deadlineAt} > now()`),
    )
    .orderBy(desc(jobs.createdAt))
    .limit(1);
  const [job] = await tx
    .update(jobs)
    .set({ cancellers: mayCancel ? sql`${jobs.cancellers} + 1` : null })
    .where(and(inArray(jobs.id, same), isOpen))
    .returning({ id: jobs.id });
  return job?.id;
}
