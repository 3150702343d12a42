import { type JobStatus, jobStatuses, type ProblemCode } from "@video-to-json/contract";
import { desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";
import { errorCode, jobs, keyOrNone, noKey } from "../tables/jobs.ts";
import { listedColumns } from "./listed-job.ts";
import type { JobPlace } from "./newest-job-ids.ts";

/** The filters for the jobs of an account. A missing member filters nothing. */
export type JobFilter = {
  status?: JobStatus | undefined;
  /** Only failed jobs with this code. */
  code?: ProblemCode | undefined;
  /** Only jobs of this key; null: jobs without a key. */
  keyId?: string | null | undefined;
  /** The first and the last day, `YYYY-MM-DD` in UTC, on which the jobs were admitted. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
};

type Query = { accountId: string; limit: number; filter: JobFilter; after?: JobPlace | undefined };

/** A job without its contents, and its key. */
export type FoundJob = Awaited<ReturnType<typeof findJobsPage>>["jobs"][number];

/**
 * Returns one page of an account's jobs that pass a filter, newest first, without erased jobs. A page reads entries of
 * one index in order, so it costs the same with a hundred jobs and with a hundred thousand.
 */
export async function findJobsPage(db: Db, query: Query) {
  const createdMicros = sql<string>`(extract(epoch from ${jobs.createdAt}) * 1000000)::bigint::text`;
  const rows = await db
    .select({
      ...listedColumns,
      keyId: jobs.keyId,
      keyName: apiKeys.name,
      keyDisplay: apiKeys.display,
      createdMicros,
    })
    .from(jobs)
    .leftJoin(apiKeys, eq(apiKeys.id, jobs.keyId))
    .where(inArray(jobs.id, sql`(${filteredJobIds({ ...query, limit: query.limit + 1 })})`))
    .orderBy(desc(jobs.createdAt), desc(jobs.id));
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return { jobs: page, last: last && { createdMicros: last.createdMicros, id: last.id } };
}

/** Returns the query for the ids of such a page. */
function filteredJobIds({ accountId, limit, filter, after }: Query): SQL {
  const { status, code, keyId, fromDay, toDay } = filter;
  // The leading columns of the indexes `jobs_listed`, `jobs_of_key` and `jobs_of_code` come first, then their order.
  const conditions = [
    sql`account_id = ${accountId} and erased_at is null`,
    keyId !== undefined && sql`${keyOrNone} = ${keyId ?? noKey}::uuid`,
    fromDay && sql`created_at >= ${fromDay}::date::timestamp at time zone 'UTC'`,
    toDay && sql`created_at < (${toDay}::date + 1)::timestamp at time zone 'UTC'`,
    after &&
      sql`(created_at, id) <
        (timestamptz 'epoch' + ${after.createdMicros}::float8 * interval '1 microsecond', ${after.id}::uuid)`,
  ];
  const all = sql.join(
    conditions.filter((condition) => typeof condition === "object"),
    sql` and `,
  );
  const newest = sql`order by created_at desc, id desc limit ${limit}`;
  if (code !== undefined) {
    const none = status !== undefined && status !== "failed" ? sql`and false` : sql``;
    return sql`select id from ${jobs} where ${all} and status = 'failed' and ${sql.raw(errorCode)} = ${code} ${none} ${newest}`;
  }
  const statuses = (status === undefined ? jobStatuses : [status]).map((wanted) => sql`${wanted}`);
  return sql`select listed.id from unnest(array[${sql.join(statuses, sql`, `)}]::text[]) as wanted (status)
    cross join lateral (
      select id, created_at from ${jobs} where ${all} and status = wanted.status ${newest}
    ) as listed
    order by listed.created_at desc, listed.id desc limit ${limit}`;
}
