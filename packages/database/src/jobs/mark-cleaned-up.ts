import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** Records that the video of a finished job is deleted everywhere. Does nothing to an open job. */
export async function markCleanedUp(db: Db, id: string): Promise<void> {
  await db
    .update(jobs)
    .set({ cleanedAt: sql`now()` })
    .where(and(eq(jobs.id, id), isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt)));
}
