import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { withoutFlush } from "./open-job.ts";

/**
 * Records that the video of a finished job is deleted everywhere. Does not change an open job. The commit does not wait
 * for the disk, because the job's caller waits for this record. If a crash loses the record, a sweep repeats the
 * clean-up.
 */
export async function markCleanedUp(db: Db, id: string): Promise<void> {
  await db
    .update(jobs)
    .set({ cleanedAt: sql`now()` })
    .where(and(eq(jobs.id, id), isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt), withoutFlush));
}
