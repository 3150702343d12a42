import { inArray, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { erasedByDeletion } from "./erased-contents.ts";

type Query = {
  /** The largest number of jobs. */
  limit: number;
  /** Only the jobs of this account; of all accounts by default. */
  accountId?: string;
};

/**
 * Erases the contents of finished jobs that their account does not keep: those older than its retention, and all jobs
 * of a deleted account. Erases what `eraseJob` does. Skips jobs that another transaction has locked. Returns how many.
 */
export async function eraseUnkeptJobs(db: Db, query: Query): Promise<number> {
  const erased = await db
    .update(jobs)
    .set(erasedByDeletion)
    .where(inArray(jobs.id, sql`(${unkeptJobIds(query)})`))
    .returning({ id: jobs.id });
  return erased.length;
}

/**
 * Returns the query for the ids of these jobs. For each account with a retention, it reads only those entries of the
 * index `jobs_listed` that are old enough, because a job ends after it was created.
 */
export function unkeptJobIds({ limit, accountId }: Query) {
  const ofAccount = accountId === undefined ? sql`` : sql`and accounts.id = ${accountId}`;
  return sql`select old.id from accounts
    cross join lateral (
      select case when accounts.deleted_at is null
        then now() - accounts.retention_days * interval '24 hours' else 'infinity' end as at
    ) kept_from
    cross join (values ('succeeded'), ('failed')) as ended (status)
    cross join lateral (
      select id from ${jobs}
      where account_id = accounts.id and status = ended.status and erased_at is null
        and created_at <= kept_from.at and finished_at <= kept_from.at
      order by created_at limit ${limit} for no key update skip locked
    ) old
    where (accounts.retention_days is not null or accounts.deleted_at is not null) ${ofAccount}
    limit ${limit}`;
}
