import { randomUUID } from "node:crypto";
import type { Clip, Detail, SecondLook } from "@video-to-json/contract";
import { steadyNow } from "@video-to-json/runtime/timing";
import { eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { runStatement } from "../connection/statements.ts";
import { type ClipColumns, clipOf } from "../jobs/find-job.ts";
import { queueAccounts, queueJobs } from "../tables/fair-share.ts";
import { jobNeeds } from "../tables/jobs.ts";

/** A claimed job, as the worker needs it. */
export type ClaimedJob = {
  id: string;
  accountId: string;
  /** Whether its account has a paid grant. */
  pays: boolean;
  /** The number of this claim, from 1. Every later write carries it. */
  fence: number;
  /** The id of this claim, for `handBackJob`. */
  claim: string;
  /**
   * The key of the video in storage. A claim that fetches puts it under its own id, so that an earlier claim, which may
   * still run, can neither replace nor delete it.
   */
  videoKey: string;
  /** The earlier claims that failed. Each may have left a video under its id. */
  earlierClaims: readonly string[];
  /**
   * How many earlier claims failed: the run threw, or the worker vanished. At most one of them may still be running.
   */
  failedClaims: number;
  /** How many different workers had these claims. */
  failedWorkers: number;
  schemaText: string;
  instructions: string | null;
  videoUrl: string | null;
  /** The part of the video to look at; null for the whole video. */
  clip: Clip | null;
  detail: Detail;
  /** Whether the request asked for evidence. */
  wantsEvidence: boolean;
  /** Whether its times get a second look. Null: the setting decides. */
  secondLook: SecondLook | null;
  /** Whether its lists of moments are completed. Null: the setting decides. */
  completesLists: boolean | null;
  /** How long ago a worker first began to fetch the video, in milliseconds; 0 if none had begun. */
  fetchingMs: number;
  /** By the steady clock of this process, which may differ from the database's. */
  deadlineAt: Date;
  /** How long the job has existed, in milliseconds by the database's clock. */
  ageMs: number;
  /** The trace of the request that made the job, as a W3C `traceparent`. */
  traceParent: string | null;
  /** The id of the request that made the job. */
  requestId: string | null;
};

type Ticket = {
  /** The id of the queue's ticket. The claimed job belongs to it until the job finishes. */
  ticket: string;
  /** The id of the claim, the same one when the call is repeated; a new one by default. */
  claim?: string;
  /** The id of this worker. */
  workerId: string;
  /** How many jobs this worker runs at once. They count even before the worker has recorded itself. */
  places: number;
  /** Claims a job to fetch its video from its URL, rather than to run it. False by default. */
  fetches?: boolean;
};

/**
 * How many videos a worker fetches at once for each of its places. A server that is slow costs a connection and little
 * else. One network, of servers or of callers, has a part of one: as many fetches as there are places.
 */
export const fetchesOfPlace = 4;

/**
 * Claims the job of a ticket, or the next job in fair order (docs/decisions/0001, "Fair share"). It waits for no lock: it
 * skips the rows that another transaction has locked. In psql, set the six variables with `\set` and paste it.
 *
 * Jobs whose video has to be fetched are in a line of their own, with places and counts of their own, so a slow server
 * keeps no other job from starting.
 *
 * The index `queue_accounts_order` sorts the accounts in fair order, and `queue_jobs_waiting` sorts the jobs of an account
 * by age, so the query reads few rows of both. Each `lateral` runs for one account after another until an account has a
 * job. It looks at 64 accounts: when all of them are locked or have only overdue jobs, the worker tries again.
 */
export const claimText = `
-- A job that runs under this ticket already: its worker has gone.
with own as (
  select job_id from queue_jobs where ticket = :'ticket'::uuid
),
-- The places of this worker, and those of the others that were seen in the last 15 seconds.
total as (
  select (case when :'fetches'::boolean then ${fetchesOfPlace} else 1 end
    * (:'places'::integer + coalesce(sum(places), 0)))::numeric as places from workers
  where id <> :'worker'::uuid and seen_at > now() - interval '15 seconds'
),
-- The line of this claim: one row for each account.
line as not materialized (
  select * from queue_accounts where fetches = :'fetches'::boolean
),
-- How many jobs an account may run: one that pays, and one that does not. There is no limit while no other account waits.
-- While an account of its kind without a running job waits, only such accounts start a job. More accounts than places do
-- not change the share, so no more are counted.
others as (
  select (select count(*) from (select from line where waits limit 2) two) > 1 as wait
),
share as (
  select true as pays, case
    when not wait then 2147483647
    when not exists (select from line where waits and pays) then 0
    when (select running from line where waits and pays order by running limit 1) = 0 then 1
    else ceil(places / greatest(1, (select count(*) from (
      select from line where is_active and pays limit (select places from total)) active)))::integer
    end as jobs from total, others
  union all
  -- While an account that pays waits, all others together start jobs in half of the places only.
  select false, case
    when not wait then 2147483647
    when exists (select from line where waits and pays)
      and (select coalesce(sum(running), 0) from line where running > 0 and not pays) >= places / 2 then 0
    when (select running from line where waits and not pays order by running limit 1) = 0 then 1
    else ceil(places / greatest(1, (select count(*) from (
      select from line where is_active and not pays limit (select places from total)) active)))::integer
    end from total, others
),
-- The next job, locked together with its account's row. An account that has changed since the query began is skipped,
-- because its position has changed.
next as (
  select oldest.job_id
  from (
    select account_id, running, last_started_at from line q
    -- The first bound ends the search in the index.
    where waits and running < (select max(jobs) from share) and not exists (select from own)
      and running < (select jobs from share where share.pays = q.pays)
    order by running, last_started_at nulls first, created_at, account_id
    limit 64
  ) first
  cross join lateral (
    select a.account_id from queue_accounts a
    where a.account_id = first.account_id and a.fetches = :'fetches'::boolean and a.running = first.running
      and a.last_started_at is not distinct from first.last_started_at
    for no key update skip locked
  ) locked
  cross join lateral (
    select q.job_id from queue_jobs q join jobs j on j.id = q.job_id
    where q.account_id = locked.account_id and q.fetches = :'fetches'::boolean and q.ticket is null
      and j.status = 'queued' and j.deadline_at > now() and j.needs <@ :'understands'::text[]
      and (not q.fetches or greatest(
        (select count(*) from queue_jobs o where o.worker is not null and o.origin = q.origin),
        (select count(*) from queue_jobs o where o.worker is not null and o.caller = q.caller)
      ) < (select places / ${fetchesOfPlace} from total))
    order by q.created_at, q.job_id limit 1
    for no key update of j skip locked
  ) oldest
  limit 1
),
bound as (
  update queue_jobs set
    ticket = :'ticket'::uuid,
    worker = case when fetches then :'worker'::uuid end,
    fetch_started_at = case when fetches then coalesce(fetch_started_at, now()) end
  where job_id = (select job_id from next) returning job_id
)
update jobs set
  -- A job starts when its video is here.
  status = case when :'fetches'::boolean then status else 'running' end,
  fence = fence + 1,
  -- A claim that is repeated, because the reply was lost, has the same id and counts once.
  open_claims = array_append(array_remove(open_claims, :'claim'::uuid), :'claim'::uuid),
  -- now() is the start of the transaction, which may have waited for a lock while the job was created.
  started_at = case when :'fetches'::boolean then started_at else coalesce(started_at, clock_timestamp()) end
where id = coalesce((select job_id from own), (select job_id from bound))
  and status in ('queued', 'running') and deadline_at > now() and needs <@ :'understands'::text[]
returning id, account_id as "accountId", (select a.pays from accounts a where a.id = account_id) as pays, fence, array_to_string(array_remove(open_claims, :'claim'::uuid), ' ') as "earlierClaims", cardinality(open_claims) - 1 as "failedClaims",
  -- The first part of a claim's id names its worker.
  (select count(distinct left(earlier::text, 18))::integer from unnest(open_claims) earlier
    where earlier <> :'claim'::uuid) as "failedWorkers", schema as "schemaText",
  instructions, video_url as "videoUrl", case when video_url is null then coalesce(video_key, id) else :'claim'::uuid end as "videoKey", second_look as "secondLook", clip_start_seconds as "clipStartSeconds",
  clip_end_seconds as "clipEndSeconds", detail, trace_parent as "traceParent", request_id as "requestId",
  evidence is not null as "wantsEvidence",
  case when 'complete_lists' = any(needs) then true when 'no_complete_lists' = any(needs) then false end as "completesLists",
  coalesce((select extract(epoch from now() - fetch_started_at) * 1000 from queue_jobs where job_id = id), 0)::float8
    as "fetchingMs",
  (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs",
  (extract(epoch from deadline_at - clock_timestamp()) * 1000)::float8 as "leftMs"`;

const claimParameters = ["ticket", "claim", "worker", "places", "understands", "fetches"] as const;
const claimStatement = claimText.replace(/:'(\w+)'/g, (_, name) => `$${claimParameters.indexOf(name) + 1}`);

/**
 * Claims a job for a ticket: the job that already runs under it, or else the next one.
 *
 * @returns the job; `nothing` if no job waits, or if the ticket's job is overdue or needs a worker of a later release: it
 *   keeps its ticket until a maintenance task fails it; `not yet` if jobs wait, but each account with a waiting job holds its share of the places or is locked.
 */
export async function claimNextJob(db: Db, given: Ticket): Promise<ClaimedJob | "nothing" | "not yet"> {
  const { ticket, claim = randomUUID(), workerId: worker, places, fetches = false } = given;
  const values = { ticket, claim, worker, places: String(places), understands: `{${jobNeeds}}`, fetches };
  const parameters = claimParameters.map((name) => values[name]);
  const [claimed] = await runStatement<ClaimedRow>(db, claimStatement, parameters);
  if (claimed) return toClaimedJob(claimed, claim);
  const isOurs = eq(queueJobs.ticket, ticket);
  const [waits] = await db
    .select({ id: queueAccounts.accountId })
    .from(queueAccounts)
    .where(sql`waits and fetches = ${fetches} and not exists (select from ${queueJobs} where ${isOurs})`)
    .limit(1);
  return waits ? "not yet" : "nothing";
}

/**
 * Claims a job by its id, whether it waits or runs. The earlier claim can write nothing from then on. Returns undefined
 * if the job is finished, overdue or unknown.
 */
export async function claimJob(db: Db, id: string, claim: string = randomUUID()): Promise<ClaimedJob | undefined> {
  const [bound] = await db
    .update(queueJobs)
    .set({ ticket: sql`coalesce(${queueJobs.ticket}, ${queueJobs.jobId})` })
    .where(eq(queueJobs.jobId, id))
    .returning({ ticket: queueJobs.ticket });
  if (!bound?.ticket) return undefined;
  const claimed = await claimNextJob(db, { ticket: bound.ticket, claim, workerId: id, places: 1 });
  return typeof claimed === "string" ? undefined : claimed;
}

type ClaimedRow = Omit<ClaimedJob, "claim" | "deadlineAt" | "clip" | "detail" | "earlierClaims"> &
  ClipColumns & { detail: Detail | null; leftMs: number; earlierClaims: string };

function toClaimedJob(row: ClaimedRow, claim: string): ClaimedJob {
  const { leftMs, clipStartSeconds, clipEndSeconds, detail, instructions, videoUrl, earlierClaims, ...job } = row;
  return {
    ...job,
    claim,
    earlierClaims: earlierClaims.split(" ").filter(Boolean),
    instructions: callerTextOf(instructions),
    videoUrl: callerTextOf(videoUrl),
    clip: clipOf({ clipStartSeconds, clipEndSeconds }),
    detail: detail ?? "standard",
    deadlineAt: new Date(steadyNow() + leftMs),
  };
}

/** Returns a caller's text, which is stored as a JSON string. */
function callerTextOf(json: string | null): string | null {
  return json === null ? null : String(JSON.parse(json));
}
