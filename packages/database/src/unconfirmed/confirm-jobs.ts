import { sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { unconfirmedJobs } from "../tables/unconfirmed-jobs.ts";

/** Confirms jobs: from now on seconds may be held for them. Returns the ids of those that were unconfirmed. */
export async function confirmJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const confirmed = await db
    .delete(unconfirmedJobs)
    // One parameter for any number of ids, so that there is one statement to prepare.
    .where(
      sql`${unconfirmedJobs.jobId} in (select value::uuid from json_array_elements_text(${JSON.stringify(ids)}::json))`,
    )
    .returning({ id: unconfirmedJobs.jobId });
  return confirmed.map(({ id }) => id);
}
