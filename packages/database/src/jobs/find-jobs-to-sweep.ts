import type { JobStatus } from "@video-to-json/contract";
import { and, asc, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

type Old = { olderThanMs: number; limit: number };

/** Jobs admitted a while ago and not ended, oldest first: the queue should know them. */
export function findOpenJobs(
  db: Db,
  { olderThanMs, limit }: Old,
): Promise<{ id: string; status: JobStatus; createdAt: Date }[]> {
  return db
    .select({ id: jobs.id, status: jobs.status, createdAt: jobs.createdAt })
    .from(jobs)
    .where(and(isOpen, lt(jobs.createdAt, ago(olderThanMs))))
    .orderBy(asc(jobs.createdAt))
    .limit(limit);
}

/** Jobs past their deadline and not ended, longest past first; `startedAt` null when no worker ever claimed one. */
export function findOverdueJobs(
  db: Db,
  { limit }: { limit: number },
): Promise<{ id: string; status: JobStatus; startedAt: Date | null }[]> {
  return db
    .select({ id: jobs.id, status: jobs.status, startedAt: jobs.startedAt })
    .from(jobs)
    .where(and(isOpen, lt(jobs.deadlineAt, sql`now()`)))
    .orderBy(asc(jobs.deadlineAt))
    .limit(limit);
}

/** Jobs that ended a while ago and of whose video something may be left, oldest first. */
export function findJobsToCleanUp(db: Db, { olderThanMs, limit }: Old): Promise<{ id: string; fence: number }[]> {
  return db
    .select({ id: jobs.id, fence: jobs.fence })
    .from(jobs)
    .where(and(isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt), lt(jobs.finishedAt, ago(olderThanMs))))
    .orderBy(asc(jobs.finishedAt))
    .limit(limit);
}

function ago(milliseconds: number): SQL {
  return sql`now() - make_interval(secs => ${milliseconds / 1000}::float8)`;
}
