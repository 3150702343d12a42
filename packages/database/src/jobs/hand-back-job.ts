import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/**
 * Hands back a claim on an open job: its run ends without a result and without a fault of the job, so it does not count
 * as failed. A later claim may have taken the job meanwhile. A claim that is not handed back counts as failed from the
 * next claim on. May run twice.
 */
export async function handBackJob(db: Db, { id, claim }: { id: string; claim: string }): Promise<void> {
  await db
    .update(jobs)
    .set({ openClaims: sql`array_remove(${jobs.openClaims}, ${claim}::uuid)` })
    .where(and(eq(jobs.id, id), isOpen, sql`${claim}::uuid = any(${jobs.openClaims})`));
}
