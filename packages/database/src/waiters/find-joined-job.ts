import { eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobWaiters } from "../tables/job-waiters.ts";

/** Returns the id of the job that a call waits for; undefined if it waits for no job. */
export async function findJoinedJob(db: Db, callId: string): Promise<string | undefined> {
  const [waiter] = await db.select({ jobId: jobWaiters.jobId }).from(jobWaiters).where(eq(jobWaiters.callId, callId));
  return waiter?.jobId;
}
