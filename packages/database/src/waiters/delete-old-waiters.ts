import { inArray, lt, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobWaiters } from "../tables/job-waiters.ts";

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
