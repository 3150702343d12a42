import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** Notes that nothing of an ended job's video is left anywhere; does nothing to a job that is open. */
export async function markCleanedUp(db: Db, id: string): Promise<void> {
  await db
    .update(jobs)
    .set({ cleanedAt: sql`now()` })
    .where(and(eq(jobs.id, id), isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt)));
}
