import { type JobStatus, jobStatuses } from "@video-to-json/contract";
import { type SQL, sql } from "drizzle-orm";
import { jobs } from "../tables/jobs.ts";
import { videoUrlSha256 } from "./video-url-sha256.ts";

/** The position of a job among the jobs of its account, newest first. */
export type JobPlace = {
  /** When the job was admitted, in microseconds since 1970. */
  createdMicros: string;
  id: string;
};

type Query = { accountId: string; limit: number; status?: JobStatus | undefined; after?: JobPlace | undefined };

/**
 * Returns the query for the ids of an account's newest jobs: `limit` at most, of one status or of any, and only those
 * that follow `after`. It reads `limit` entries of the index `jobs_listed` for each status, regardless of how many jobs
 * the account has or has erased.
 */
export function newestJobIds({ accountId, limit, status, after }: Query): SQL {
  const statuses = sql.join(
    (status === undefined ? jobStatuses : [status]).map((wanted) => sql`${wanted}`),
    sql`, `,
  );
  const follows = after
    ? sql`and (created_at, id) <
        (timestamptz 'epoch' + ${after.createdMicros}::float8 * interval '1 microsecond', ${after.id}::uuid)`
    : sql``;
  return sql`select listed.id from unnest(array[${statuses}]::text[]) as wanted (status)
    cross join lateral (
      select id, created_at from ${jobs}
      where account_id = ${accountId} and status = wanted.status and erased_at is null ${follows}
      order by created_at desc, id desc limit ${limit}
    ) as listed
    order by listed.created_at desc, listed.id desc limit ${limit}`;
}

/**
 * Returns the query for the ids of an account's newest jobs of a video's URL: `limit` at most. It reads `limit` entries of
 * the index `jobs_of_url`.
 */
export function newestJobIdsOfUrl(query: { accountId: string; videoUrl: string; limit: number }): SQL {
  return sql`select id from ${jobs}
    where account_id = ${query.accountId} and video_url_sha256 = ${videoUrlSha256(query.videoUrl)} and erased_at is null
    order by created_at desc, id desc limit ${query.limit}`;
}
