import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** The jobs of one key that failed on one day. */
export type FailedJobs = {
  /** `YYYY-MM-DD`, in UTC, by the time at which they finished. */
  day: string;
  /** Null: no key. */
  keyId: string | null;
  jobs: number;
  /** The total length of their videos, as far as it was measured. They cost nothing. */
  seconds: number;
};

type Query = {
  accountId: string;
  /** The first and the last day, `YYYY-MM-DD`, in UTC. */
  fromDay: string;
  toDay: string;
};

/** Returns how many jobs of an account failed, by day and key, oldest day first. Reads only the index `jobs_failed`. */
export async function countFailedJobs(db: Db, { accountId, fromDay, toDay }: Query): Promise<FailedJobs[]> {
  return db
    .select({
      day: sql<string>`${day}::text`,
      keyId: jobs.keyId,
      jobs: sql`count(*)`.mapWith(Number),
      seconds: sql`coalesce(round(sum(${jobs.durationMs}) / 1000.0), 0)`.mapWith(Number),
    })
    .from(jobs)
    .where(
      and(
        eq(jobs.accountId, accountId),
        sql`${jobs.status} = 'failed'`,
        sql`${jobs.finishedAt} >= ${fromDay}::date::timestamp at time zone 'UTC'`,
        sql`${jobs.finishedAt} < (${toDay}::date + 1)::timestamp at time zone 'UTC'`,
      ),
    )
    .groupBy(day, jobs.keyId)
    .orderBy(day);
}

const day: SQL = sql`(${jobs.finishedAt} at time zone 'UTC')::date`;
