import { and, eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/** Returns how many jobs of an account are queued or running. */
export function countOpenJobs(db: Db, accountId: string): Promise<number> {
  return db.$count(jobs, and(eq(jobs.accountId, accountId), isOpen));
}
