import { isUuid, type JobStatus } from "@video-to-json/contract";
import { and, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** Which of these texts, however many, are ids of jobs, and how those stand. Others are left out. */
export async function findJobStates(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; status: JobStatus; fence: number }[]> {
  const among = isAmong(ids);
  return among ? db.select({ id: jobs.id, status: jobs.status, fence: jobs.fence }).from(jobs).where(among) : [];
}

/**
 * Which of these jobs have ended and can be answered: those whose video is deleted, so that an answer says that too
 * ("Data handling"), and those that ended five seconds ago, for an answer does not wait on trouble with deleting.
 */
export async function findFinishedJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const among = isAmong(ids);
  if (!among) return [];
  const ended = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(among, or(isNotNull(jobs.cleanedAt), lt(jobs.finishedAt, sql`now() - interval '5 seconds'`))));
  return ended.map(({ id }) => id);
}

/** One parameter for any number of ids; undefined when none can be one. */
function isAmong(ids: readonly string[]): SQL | undefined {
  const possible = ids.filter(isUuid);
  if (possible.length === 0) return undefined;
  return sql`${jobs.id} in (select value::uuid from json_array_elements_text(${JSON.stringify(possible)}::json))`;
}
