import { and, asc, eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { errorCode, jobs } from "../tables/jobs.ts";

/** The jobs that an account started within the last hour. */
export type RecentJobs = {
  jobs: number;
  /** Those that failed with extraction_failed. */
  failed: number;
  /** The account's own limits; null means the defaults, MAX_FAILED_EXTRACTIONS and MAX_FAILED_PERCENT. */
  maxFailedExtractions: number | null;
  maxFailedPercent: number | null;
};

/** The SQL condition for a row of `jobs` that failed with extraction_failed. */
export const isFailedExtraction = `status = 'failed' and ${errorCode} = 'extraction_failed'`;

/** Returns these jobs, oldest first: the seconds until each is an hour old, and whether it is a failed extraction. */
export function listRecentJobs(db: Db, accountId: string): Promise<{ leavesInSeconds: number; failed: boolean }[]> {
  return db
    .select({
      leavesInSeconds: sql`extract(epoch from ${jobs.createdAt} + interval '1 hour' - now())`.mapWith(Number),
      failed: sql<boolean>`${sql.raw(isFailedExtraction)}`,
    })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), sql`${jobs.createdAt} > now() - interval '1 hour'`))
    .orderBy(asc(jobs.createdAt));
}
