import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/**
 * Joins another call to the newest open job of an account that was asked for in the same way. A call that cannot take
 * it back (`mayCancel`) keeps everybody from that. Gives the job's id; undefined when there is none. The account's row is
 * taken before.
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
