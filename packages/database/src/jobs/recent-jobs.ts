import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";

/** The jobs that an account started within the last hour. */
export type RecentJobs = {
  jobs: number;
  /** Those that ended as extraction_failed. */
  failed: number;
  /** The account's own limits; null means the defaults, MAX_FAILED_EXTRACTIONS and MAX_FAILED_PERCENT. */
  maxFailedExtractions: number | null;
  maxFailedPercent: number | null;
};

/** Counts the jobs that an account started within the last hour. Reads these rows only. */
export async function countRecentJobs(db: Db, accountId: string): Promise<RecentJobs | undefined> {
  const [counts] = await db
    .select({
      jobs: sql`count(${jobs.id})`.mapWith(Number),
      failed: sql`count(*) filter (where ${isFailedExtraction})`.mapWith(Number),
      maxFailedExtractions: accounts.maxFailedExtractions,
      maxFailedPercent: accounts.maxFailedPercent,
    })
    .from(accounts)
    .leftJoin(jobs, isRecentOf(sql`${accounts.id}`))
    .where(eq(accounts.id, accountId))
    .groupBy(accounts.id);
  return counts;
}

/** Returns the same jobs, oldest first: the seconds until each is an hour old, and whether it is a failed extraction. */
export function listRecentJobs(db: Db, accountId: string): Promise<{ leavesInSeconds: number; failed: boolean }[]> {
  return db
    .select({
      leavesInSeconds: sql`extract(epoch from ${jobs.createdAt} + interval '1 hour' - now())`.mapWith(Number),
      failed: sql<boolean>`${isFailedExtraction}`,
    })
    .from(jobs)
    .where(isRecentOf(sql`${accountId}`))
    .orderBy(asc(jobs.createdAt));
}

const isFailedExtraction = sql`(${jobs.status} = 'failed' and ${jobs.errorText} ->> 'code' = 'extraction_failed')`;

function isRecentOf(accountId: SQL): SQL | undefined {
  return and(sql`${jobs.accountId} = ${accountId}`, sql`${jobs.createdAt} > now() - interval '1 hour'`);
}
