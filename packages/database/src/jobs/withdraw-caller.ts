import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/**
 * Removes one request that may cancel an open job from the job's count. Returns whether it was the last one. The caller
 * has locked the account's row before.
 */
export async function withdrawCaller(tx: Tx, id: string): Promise<boolean> {
  const [job] = await tx
    .update(jobs)
    .set({ cancellers: sql`${jobs.cancellers} - 1` })
    .where(and(eq(jobs.id, id), isOpen, isNotNull(jobs.cancellers)))
    .returning({ cancellers: jobs.cancellers });
  return job?.cancellers === 0;
}
