import { and, eq, notInArray, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { queueJobs } from "../tables/fair-share.ts";
import type { ClaimedJob } from "./claim-next-job.ts";

/** A claim that fetches the video of a job. */
type Fetch = Pick<ClaimedJob, "id" | "fence" | "claim">;

/**
 * Records that storage has the fetched video of a job, under the id of the claim: from now on, the job waits for a place
 * as one with an upload does, and its URL, which may hold a secret, is gone. Returns false, and changes nothing, if
 * another claim has the job. May run twice.
 */
export async function finishFetch(db: Db, { id, fence, claim }: Fetch): Promise<boolean> {
  const [row] = await db.execute<{ ours: boolean }>(sql`
    with changed as (
      update jobs set video_url = null, has_upload = true, video_key = ${claim}::uuid,
        needs = array_append(needs, 'video_key'), open_claims = array_remove(open_claims, ${claim}::uuid)
      where id = ${id} and fence = ${fence} and status = 'queued' and video_url is not null returning id
    )
    select exists (select from changed) or exists (select from jobs where id = ${id} and video_key = ${claim}::uuid) as ours`);
  return row?.ours === true;
}

/**
 * Ends a fetch without a result, so that another worker, or the same one, fetches the video later. The time limit of the
 * job's fetches continues. May run twice.
 *
 * @param how.hasFailed whether the claim counts as a failed one. It does not by default.
 */
export async function releaseFetch(
  db: Db,
  { id, fence, claim }: Fetch,
  { hasFailed = false }: { hasFailed?: boolean } = {},
): Promise<void> {
  await db.transaction(async (tx) => {
    const ours = await tx.execute(sql`
      update jobs set open_claims = ${hasFailed ? sql`open_claims` : sql`array_remove(open_claims, ${claim}::uuid)`}
      where id = ${id} and fence = ${fence} and status = 'queued' returning id`);
    if (ours.length > 0) await tx.execute(sql`update queue_jobs set ticket = null, worker = null where job_id = ${id}`);
  });
}

/** Releases the fetches of workers that have not been seen for 15 seconds. Their claims count as failed. Returns how many. */
export async function releaseDeadFetches(db: Db): Promise<number> {
  const released = await db.execute(sql`
    update queue_jobs set ticket = null, worker = null
    where worker is not null and not exists (
      select from workers where id = worker and seen_at > now() - interval '15 seconds')
    returning job_id`);
  return released.length;
}

/** Releases the fetches that a worker has claimed and does not run: the database did not answer when they ended. */
export async function releaseForgottenFetches(db: Db, workerId: string, running: readonly string[]): Promise<void> {
  await db
    .update(queueJobs)
    .set({ ticket: null, worker: null })
    .where(and(eq(queueJobs.worker, workerId), notInArray(queueJobs.jobId, [...running])));
}

const originText = `update queue_jobs q set origin = $2 where job_id = $1 returning
(select count(*) from queue_jobs o where o.worker is not null and o.origin = $2 and o.job_id <> $1)
>= (select sum(places) from workers where seen_at > now() - interval '15 seconds') as busy`;

/**
 * Records the network that a fetch is connected to. Returns whether the jobs of the service fetch from it as much as one
 * network may already; then the job has to wait, so that other networks have their part.
 */
export async function recordOrigin(db: Db, jobId: string, network: string): Promise<boolean> {
  const [row] = await runStatement<{ busy: boolean | null }>(db, originText, [jobId, network]);
  return row?.busy === true;
}
