import { eq, lt, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { unconfirmedJobs } from "../tables/unconfirmed-jobs.ts";

/** Returns whether a job is confirmed. A confirmed job stays confirmed. */
export async function isJobConfirmed(db: Db, id: string): Promise<boolean> {
  return (await db.$count(unconfirmedJobs, eq(unconfirmedJobs.jobId, id))) === 0;
}

/** Returns unconfirmed jobs that were admitted more than `minAgeMs` milliseconds ago, `limit` at most. */
export function findUnconfirmedJobs(
  db: Db,
  { minAgeMs, limit }: { minAgeMs: number; limit: number },
): Promise<{ id: string; accountId: string }[]> {
  return db
    .select({ id: jobs.id, accountId: jobs.accountId })
    .from(unconfirmedJobs)
    .innerJoin(jobs, eq(jobs.id, unconfirmedJobs.jobId))
    .where(lt(unconfirmedJobs.createdAt, sql`now() - make_interval(secs => ${minAgeMs / 1000}::float8)`))
    .limit(limit);
}
