import { and, eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/** Returns the ids of an account's open jobs. */
export async function findOpenJobs(db: Db, accountId: string): Promise<string[]> {
  const open = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), isOpen));
  return open.map(({ id }) => id);
}
