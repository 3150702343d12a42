import { type JobStatus, jobStatuses, type ProblemCode } from "@video-to-json/contract";
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts, apiKeys } from "../tables/accounts.ts";
import { errorCode, jobs, keyOrNone, noKey } from "../tables/jobs.ts";
import { videoUrlSha256 } from "./insert-job.ts";

const { id, status, createdAt, startedAt, finishedAt, durationMs, billedSeconds, model, errorText, ...others } =
  getTableColumns(jobs);
const { clipStartSeconds, clipEndSeconds, detail } = others;

/** The columns of a job in a list. */
const listedColumns = {
  id,
  status,
  createdAt,
  startedAt,
  finishedAt,
  durationMs,
  billedSeconds,
  model,
  errorText,
  ...{ clipStartSeconds, clipEndSeconds, detail },
};

/** A job without its contents. */
export type ListedJob = Pick<typeof jobs.$inferSelect, keyof typeof listedColumns>;

/** The position of a job among the jobs of its account, newest first. */
export type JobPlace = {
  /** When the job was admitted, in microseconds since 1970. */
  createdMicros: string;
  id: string;
};

type NewestQuery = { accountId: string; limit: number; status?: JobStatus | undefined; after?: JobPlace | undefined };

/**
 * Returns the query for the ids of an account's newest jobs: `limit` at most, of one status or of any, and only those
 * that follow `after`. It reads `limit` entries of the index `jobs_listed` for each status, regardless of how many jobs
 * the account has or has erased.
 */
export function newestJobIds({ accountId, limit, status, after }: NewestQuery): SQL {
  const statuses = sql.join(
    (status === undefined ? jobStatuses : [status]).map((wanted) => sql`${wanted}`),
    sql`, `,
  );
  const follows = after
    ? sql`and (created_at, id) <
        (timestamptz 'epoch' + ${after.createdMicros}::float8 * interval '1 microsecond', ${after.id}::uuid)`
    : sql``;
  return sql`select listed.id from unnest(array[${statuses}]::text[]) as wanted (status)
    cross join lateral (
      select id, created_at from ${jobs}
      where account_id = ${accountId} and status = wanted.status and erased_at is null ${follows}
      order by created_at desc, id desc limit ${limit}
    ) as listed
    order by listed.created_at desc, listed.id desc limit ${limit}`;
}

/**
 * Returns the query for the ids of an account's newest jobs of a video's URL: `limit` at most. It reads `limit` entries of
 * the index `jobs_of_url`.
 */
export function newestJobIdsOfUrl(query: { accountId: string; videoUrl: string; limit: number }): SQL {
  return sql`select id from ${jobs}
    where account_id = ${query.accountId} and video_url_sha256 = ${videoUrlSha256(query.videoUrl)} and erased_at is null
    order by created_at desc, id desc limit ${query.limit}`;
}

/** The jobs that an account started within the last hour. */
export type RecentJobs = {
  jobs: number;
  /** How many of these jobs are failed work, as `isFailedWork` says. */
  failed: number;
  /** The account's own limits; null means the defaults, MAX_FAILED_EXTRACTIONS and MAX_FAILED_PERCENT. */
  maxFailedExtractions: number | null;
  maxFailedPercent: number | null;
};

/**
 * The SQL condition for a row of `jobs`, beside its row of `accounts`, that is failed work: no answer conformed, or, for
 * an account that does not pay, its video cannot be fetched or read (docs/decisions/0001, "Failed work").
 */
export const isFailedWork = `status = 'failed' and ${errorCode} = any(
case when pays then '{extraction_failed}' else '{extraction_failed,video_unreachable,media_unreadable}' end::text[])`;

type RecentJob = {
  leavesInSeconds: number;
  /** Whether it is failed work. */
  failed: boolean;
  /** The code of its error; null without an error. */
  code: string | null;
};

/** Returns these jobs, oldest first, with the seconds until each is an hour old. */
export function listRecentJobs(db: Db, accountId: string): Promise<RecentJob[]> {
  return db
    .select({
      leavesInSeconds: sql`extract(epoch from ${jobs.createdAt} + interval '1 hour' - now())`.mapWith(Number),
      failed: sql<boolean>`coalesce(${sql.raw(isFailedWork)}, false)`,
      code: sql<string | null>`${sql.raw(errorCode)}`,
    })
    .from(jobs)
    .innerJoin(accounts, eq(accounts.id, jobs.accountId))
    .where(and(eq(jobs.accountId, accountId), sql`${jobs.createdAt} > now() - interval '1 hour'`))
    .orderBy(asc(jobs.createdAt));
}

/**
 * A job without its schema and its instructions. `dataText` is null unless the job succeeded, and if it is too long.
 */
export type JobWithData = ListedJob & { dataText: string | null };

type Query = {
  accountId: string;
  /** How many jobs to return at most. */
  limit: number;
  /** The limit of the answers in total, in bytes. From the first answer that exceeds it, jobs come without answers. */
  maxDataBytes: number;
  /** Only jobs of this URL. */
  videoUrl?: string | undefined;
};

/** Returns the newest jobs of an account, newest first. Jobs whose contents were erased are left out. */
export function listJobs(db: Db, { maxDataBytes, videoUrl, ...query }: Query): Promise<JobWithData[]> {
  const ids = videoUrl === undefined ? newestJobIds(query) : newestJobIdsOfUrl({ ...query, videoUrl });
  const bytes = sql`sum(coalesce(octet_length(${jobs.dataText}::text), 0))
    over (order by ${jobs.createdAt} desc, ${jobs.id} desc)`;
  return db
    .select({
      ...listedColumns,
      dataText: sql<string | null>`case when ${bytes} <= ${maxDataBytes} then ${jobs.dataText} end`.mapWith(
        jobs.dataText,
      ),
    })
    .from(jobs)
    .where(inArray(jobs.id, sql`(${ids})`))
    .orderBy(desc(jobs.createdAt), desc(jobs.id));
}

type Page = {
  jobs: ListedJob[];
  /** The position of the last job of the page, if others follow. */
  last: JobPlace | undefined;
};

/**
 * Returns one page of an account's jobs, newest first. A job keeps its position, so newly admitted jobs neither repeat
 * nor hide a job of a later page (docs/decisions/0001, "Listing jobs").
 *
 * @param query.limit how many jobs the page may have.
 * @param query.after the position after which the page starts; the newest job by default.
 */
export async function listJobPage(
  db: Db,
  query: { accountId: string; limit: number; status?: JobStatus | undefined; after?: JobPlace | undefined },
): Promise<Page> {
  const createdMicros = sql<string>`(extract(epoch from ${jobs.createdAt}) * 1000000)::bigint::text`;
  const rows = await db
    .select({ ...listedColumns, createdMicros })
    .from(jobs)
    .where(inArray(jobs.id, sql`(${newestJobIds({ ...query, limit: query.limit + 1 })})`))
    .orderBy(desc(jobs.createdAt), desc(jobs.id));
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return { jobs: page, last: last && { createdMicros: last.createdMicros, id: last.id } };
}

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
  /** Only jobs whose id begins with this text, or whose title, schema, instructions or answer contain it. */
  text?: string | undefined;
};

type FilteredQuery = { accountId: string; limit: number; filter: JobFilter; after?: JobPlace | undefined };

/** A job without its contents, and its key. */
export type FoundJob = Awaited<ReturnType<typeof findJobsPage>>["jobs"][number];

/**
 * Returns one page of an account's jobs that pass a filter, newest first, without erased jobs. A page reads entries of
 * one index in order, so it costs the same with a hundred jobs and with a hundred thousand.
 */
export async function findJobsPage(db: Db, query: FilteredQuery) {
  const createdMicros = sql<string>`(extract(epoch from ${jobs.createdAt}) * 1000000)::bigint::text`;
  const rows = await db
    .select({
      ...listedColumns,
      keyId: jobs.keyId,
      keyName: apiKeys.name,
      keyDisplay: apiKeys.display,
      title: jobs.title,
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
function filteredJobIds({ accountId, limit, filter, after }: FilteredQuery): SQL {
  const { status, code, keyId, fromDay, toDay, text } = filter;
  // The leading columns of the indexes `jobs_listed`, `jobs_of_key` and `jobs_of_code` come first, then their order.
  const conditions = [
    sql`account_id = ${accountId} and erased_at is null`,
    keyId !== undefined && sql`${keyOrNone} = ${keyId ?? noKey}::uuid`,
    fromDay && sql`created_at >= ${fromDay}::date::timestamp at time zone 'UTC'`,
    toDay && sql`created_at < (${toDay}::date + 1)::timestamp at time zone 'UTC'`,
    text && contains({ accountId, text }),
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

// Texts have no index. So many are read in a second.
const searchedJobs = 10_000;

/** Returns the condition for a job among the newest of its account that contains a text, in any case of its letters. */
function contains({ accountId, text }: { accountId: string; text: string }): SQL {
  const texts = sql.join(
    [sql`title`, sql`${jobs.schemaText}::text`, sql`${jobs.instructions}::text`, sql`${jobs.dataText}::text`],
    sql`, `,
  );
  return sql`id in (${newestJobIds({ accountId, limit: searchedJobs })}) and (starts_with(id::text, lower(${text})) or
    strpos(lower(concat_ws(' ', ${texts})), lower(${text})) > 0)`;
}
