import { desc, inArray, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { type ListedJob, listedColumns } from "./listed-job.ts";
import { newestJobIds, newestJobIdsOfUrl } from "./newest-job-ids.ts";

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
