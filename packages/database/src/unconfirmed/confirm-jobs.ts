import { sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { unconfirmedJobs } from "../tables/unconfirmed-jobs.ts";

/** Confirms jobs, so that they may get holds. Returns the ids of those that were unconfirmed. */
export async function confirmJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const confirmed = await db
    .delete(unconfirmedJobs)
    // One parameter for any number of ids, so that only one statement is prepared.
    .where(
      sql`${unconfirmedJobs.jobId} in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json))`,
    )
    .returning({ id: unconfirmedJobs.jobId });
  return confirmed.map(({ id }) => id);
}
