import { and, asc, eq, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/** Jobs older than `minAgeMs` milliseconds, `limit` at most. */
type AgeQuery = { minAgeMs: number; limit: number };

/** An open job whose deadline has passed. `startedAt` is null if no worker ever claimed it. */
type OverdueJob = { id: string; accountId: string; startedAt: Date | null };

/**
 * Returns overdue jobs, earliest deadline first. With `skipLocked`, jobs of accounts that are locked now are left out
 * and do not count towards the limit.
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

/** Returns the ids of finished jobs whose video may still exist, oldest finish first. */
export async function findJobsToCleanUp(db: Db, { minAgeMs, limit }: AgeQuery): Promise<string[]> {
  const finished = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt), lt(jobs.finishedAt, ago(minAgeMs))))
    .orderBy(asc(jobs.finishedAt))
    .limit(limit);
  return finished.map(({ id }) => id);
}

function ago(milliseconds: number): SQL {
  return sql`now() - make_interval(secs => ${milliseconds / 1000}::float8)`;
}
