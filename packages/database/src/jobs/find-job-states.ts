import { isUuid, type JobStatus } from "@video-to-json/contract";
import { and, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** Returns status and fence of the jobs among `ids`. Other texts are left out; any number is allowed. */
export async function findJobStates(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; status: JobStatus; fence: number }[]> {
  const among = isAmong(ids);
  return among ? db.select({ id: jobs.id, status: jobs.status, fence: jobs.fence }).from(jobs).where(among) : [];
}

/**
 * Returns which of these jobs are finished and may be answered. An answer waits until the video is deleted
 * (specification, "Data handling"), but no longer than five seconds.
 */
export async function findFinishedJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const among = isAmong(ids);
  if (!among) return [];
  const finished = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(among, or(isNotNull(jobs.cleanedAt), lt(jobs.finishedAt, sql`now() - interval '5 seconds'`))));
  return finished.map(({ id }) => id);
}

/** One query parameter for any number of ids; undefined if no text is a UUID. */
function isAmong(ids: readonly string[]): SQL | undefined {
  const possible = ids.filter(isUuid);
  if (possible.length === 0) return undefined;
  return sql`${jobs.id} in (select value::uuid from json_array_elements_text(${JSON.stringify(possible)}::json))`;
}
