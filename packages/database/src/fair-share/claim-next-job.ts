import { randomUUID } from "node:crypto";
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { type ClaimedJob, claimedColumns, claimJob, toClaimedJob, underNewClaim } from "../jobs/claim-job.ts";
import { queueAccounts, queueJobs } from "../tables/fair-share.ts";
import { jobs } from "../tables/jobs.ts";
import { allPlaces } from "./worker-places.ts";

type Ticket = {
  /** The id of the queue's ticket. The claimed job belongs to it until the job finishes. */
  ticket: string;
  /** The id of the claim, the same one when the call is repeated; a new one by default. */
  claim?: string;
  /** The id of this worker. */
  workerId: string;
  /** How many jobs this worker runs at once. They count even before the worker has recorded itself. */
  places: number;
};

/**
 * Claims a job for a ticket. If a job already runs under this ticket, its worker has gone, so this job is claimed
 * again. Otherwise the next job in fair order is claimed (docs/decisions/0001, "Fair share"). The claim waits for no
 * lock: it skips the rows that another transaction has locked.
 *
 * @returns the job; `nothing` if no job waits; `not yet` if jobs wait, but each account with a waiting job holds its
 *   share of the places or is locked.
 */
export async function claimNextJob(
  db: Db,
  { ticket, claim = randomUUID(), workerId, places }: Ticket,
): Promise<ClaimedJob | "nothing" | "not yet"> {
  const [own] = await db.select({ id: queueJobs.jobId }).from(queueJobs).where(eq(queueJobs.ticket, ticket));
  // An overdue job cannot be claimed. It keeps its ticket until a maintenance task fails it.
  if (own) return (await claimJob(db, own.id, claim)) ?? "nothing";

  const bound = db.$with("bound").as(
    db
      .update(queueJobs)
      .set({ ticket })
      .where(sql`${queueJobs.jobId} = (${nextJob(allPlaces({ workerId, places }))})`)
      .returning({ jobId: queueJobs.jobId }),
  );
  const [claimed] = await db
    .with(bound)
    .update(jobs)
    .set(underNewClaim(claim))
    .where(inArray(jobs.id, db.select({ jobId: bound.jobId }).from(bound)))
    .returning(claimedColumns);
  if (claimed) return toClaimedJob(claimed, claim);
  const [waits] = await db.select({ id: queueAccounts.accountId }).from(queueAccounts).where(sql`waits`).limit(1);
  return waits ? "not yet" : "nothing";
}

/** How many accounts one claim looks at. When all of them are locked or have only overdue jobs, it is tried again. */
const maxPassedOver = 64;

/**
 * The next job in fair order, locked together with its account's row. The index `queue_accounts_order` sorts the
 * accounts in this order, and `queue_jobs_waiting` sorts the jobs of an account by age. So the query reads few rows of
 * both. Each `lateral` runs for one account after another until an account has a job.
 *
 * The query skips an account that has changed since the query began, because the position of the account has changed.
 */
export function nextJob(places: SQL): SQL {
  return sql`select oldest.job_id
    from (
      select account_id, running, last_started_at from queue_accounts
      where waits and running < (${share(places)})
      order by running, last_started_at nulls first, created_at, account_id
      limit ${maxPassedOver}) next
    cross join lateral (
      select a.account_id from queue_accounts a
      where a.account_id = next.account_id and a.running = next.running
        and a.last_started_at is not distinct from next.last_started_at
      for no key update skip locked) locked
    cross join lateral (
      select q.job_id from queue_jobs q join jobs j on j.id = q.job_id
      where q.account_id = locked.account_id and q.ticket is null and j.status = 'queued' and j.deadline_at > now()
      order by q.created_at, q.job_id limit 1
      for no key update of j skip locked) oldest
    limit 1`;
}

/**
 * How many jobs an account may run. There is no limit while no other account waits. While an account without a running
 * job waits, only such accounts start a job. The query counts no more accounts than there are places, because more
 * accounts do not change the share.
 */
function share(places: SQL): SQL {
  return sql`select case
    when (select count(*) from (select from queue_accounts where waits limit 2) two) < 2 then 2147483647
    when (select running from queue_accounts where waits order by running limit 1) = 0 then 1
    else ceil(total.places / greatest(1, (
      select count(*) from (select from queue_accounts where is_active limit total.places) active)))::integer
    end from (select (${places})::numeric as places) total`;
}
