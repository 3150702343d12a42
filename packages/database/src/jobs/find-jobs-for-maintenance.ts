import { and, asc, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/** Jobs older than `minAgeMs` milliseconds, `limit` at most. */
type AgeQuery = { minAgeMs: number; limit: number };

/** Returns the ids of open jobs, by time since admission, oldest first. */
export async function findOpenJobs(db: Db, { minAgeMs, limit }: AgeQuery): Promise<string[]> {
  const open = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isOpen, lt(jobs.createdAt, ago(minAgeMs))))
    .orderBy(asc(jobs.createdAt))
    .limit(limit);
  return open.map(({ id }) => id);
}

/** Returns overdue jobs, earliest deadline first. `startedAt` is null if no worker ever claimed the job. */
export function findOverdueJobs(
  db: Db,
  { limit }: { limit: number },
): Promise<{ id: string; startedAt: Date | null }[]> {
  return db
    .select({ id: jobs.id, startedAt: jobs.startedAt })
    .from(jobs)
    .where(and(isOpen, lt(jobs.deadlineAt, sql`now()`)))
    .orderBy(asc(jobs.deadlineAt))
    .limit(limit);
}

/** Returns the ids of finished jobs whose video may not be deleted yet, by time since they finished, oldest first. */
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
