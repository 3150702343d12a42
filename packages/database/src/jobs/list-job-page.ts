import type { JobStatus } from "@video-to-json/contract";
import { desc, inArray, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { type ListedJob, listedColumns } from "./listed-job.ts";
import { type JobPlace, newestJobIds } from "./newest-job-ids.ts";

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
