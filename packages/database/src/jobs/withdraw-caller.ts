import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/**
 * Notes that a caller who may take an open job back no longer wants it. Says whether nobody else does. The account's row
 * is taken before.
 */
export async function withdrawCaller(tx: Tx, id: string): Promise<boolean> {
  const [job] = await tx
    .update(jobs)
    .set({ cancellers: sql`${jobs.cancellers} - 1` })
    .where(and(eq(jobs.id, id), isOpen, isNotNull(jobs.cancellers)))
    .returning({ cancellers: jobs.cancellers });
  return job?.cancellers === 0;
}
