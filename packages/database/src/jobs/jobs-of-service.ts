import { and, asc, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { errorCode, jobs } from "../tables/jobs.ts";
import { isOpen } from "./change-job.ts";

/** The state of the service over all accounts, according to its jobs. */
export type ServiceState = {
  /** How long the oldest waiting job has waited, in seconds; 0 without waiting jobs. */
  queueWaitSeconds: number;
  /** Whether the provider answered the last job that asked it; null if no job of the last hour asked. */
  isProviderReachable: boolean | null;
  /** When that job finished. */
  providerSeenAt: Date | null;
};

/** Reads the state of the service: two entries of indexes, and the failed jobs of the last minutes at most. */
export async function readServiceState(db: Db): Promise<ServiceState> {
  const code = sql.raw(errorCode);
  const [row] = await db.execute<{ wait: string; code: string | null; seen_ms: string | null }>(sql`
    select (select coalesce(extract(epoch from now() - min(created_at)), 0) from queue_jobs where ticket is null) as wait,
      newest.code, newest.seen_ms
    from (select) one left join lateral (
      select coalesce(${code}, 'none') as code, extract(epoch from finished_at) * 1000 as seen_ms from jobs
      where finished_at is not null and erased_at is null and finished_at > now() - interval '1 hour'
        and (status = 'succeeded' or ${code} in ('extraction_failed', 'provider_unavailable'))
      order by finished_at desc limit 1
    ) newest on true`);
  return {
    queueWaitSeconds: Number(row?.wait ?? 0),
    isProviderReachable: row?.code == null ? null : row.code !== "provider_unavailable",
    providerSeenAt: row?.seen_ms == null ? null : new Date(Number(row.seen_ms)),
  };
}

/** Returns the ids of an account's open jobs. */
export async function findOpenJobs(db: Db, accountId: string): Promise<string[]> {
  const open = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.accountId, accountId), isOpen));
  return open.map(({ id }) => id);
}

/** Jobs older than `minAgeMs` milliseconds, `limit` at most. */
type AgeQuery = { minAgeMs: number; limit: number };

/** An open job whose deadline has passed. `startedAt` is null if no worker ever claimed it. */
type OverdueJob = { id: string; accountId: string; startedAt: Date | null };

/**
 * Returns overdue jobs, earliest deadline first. With `skipLocked`, the result and its limit leave out jobs of
 * accounts that are locked now.
 */
export async function findOverdueJobs(
  db: Db,
  { limit, skipLocked }: { limit: number; skipLocked: boolean },
): Promise<OverdueJob[]> {
  const overdue = db
    .select({ id: jobs.id, accountId: jobs.accountId, startedAt: jobs.startedAt })
    .from(jobs)
    .innerJoin(accounts, eq(accounts.id, jobs.accountId))
    .where(and(isOpen, lt(jobs.deadlineAt, sql`now()`)))
    .orderBy(asc(jobs.deadlineAt))
    .limit(limit);
  return skipLocked ? overdue.for("no key update", { of: accounts, skipLocked: true }) : overdue;
}

/** A finished job, and the keys of everything that storage may have of it. */
export type JobToCleanUp = { id: string; keys: string[] };

/** Returns finished jobs whose video may still exist, oldest finish first. */
export async function findJobsToCleanUp(db: Db, { minAgeMs, limit }: AgeQuery): Promise<JobToCleanUp[]> {
  const finished = await db
    .select({ id: jobs.id, videoKey: jobs.videoKey, openClaims: jobs.openClaims })
    .from(jobs)
    .where(
      and(
        isNotNull(jobs.finishedAt),
        isNull(jobs.cleanedAt),
        lt(jobs.finishedAt, sql`now() - make_interval(secs => ${minAgeMs / 1000}::float8)`),
      ),
    )
    .orderBy(asc(jobs.finishedAt))
    .limit(limit);
  return finished.map(({ id, videoKey, openClaims }) => ({ id, keys: [id, videoKey ?? id, ...openClaims] }));
}

/** Returns which of these keys of storage belong to an open job: its upload, or a video that one of its claims fetches. */
export async function findOwnedKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const owned = await db.execute<{ key: string }>(sql`
    select key from (select unnest(array[id, video_key] || open_claims) as key from jobs where ${isOpen}) open
    where key = any(${`{${keys}}`}::uuid[])`);
  return new Set(owned.map(({ key }) => key));
}

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
