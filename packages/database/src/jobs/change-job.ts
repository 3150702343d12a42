import type { ErrorInside, JobStatus, SecondLookCounts } from "@video-to-json/contract";
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Db, Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** An open job. The status values are literals because PostgreSQL uses the partial indexes only then. */
export const isOpen = sql`${jobs.status} in ('queued', 'running')`;

/** A job that runs under this claim. A later claim has raised the fence. */
function runsUnder({ id, fence }: { id: string; fence: number }): SQL {
  return sql`${eq(jobs.id, id)} and ${jobs.status} = 'running' and ${eq(jobs.fence, fence)}`;
}

/** Makes the commit of a statement not wait for the disk. A later commit, such as that of a hold, waits for both. */
const withoutFlush = sql`set_config('synchronous_commit', 'off', true) is not null`;

type Job = {
  status: JobStatus;
  fence: number;
  /** The key that made the job, if that key has a monthly limit. */
  limitedKeyId: string | null;
};

const limitedKeyId = sql<string | null>`(
  select api_keys.id from api_keys where api_keys.id = jobs.key_id and monthly_minutes is not null)`;

/**
 * Locks a job's row until the transaction ends and returns its state. The caller has already locked the account's row.
 */
export async function lockJob(tx: Tx, { id, accountId }: { id: string; accountId: string }): Promise<Job | undefined> {
  const [job] = await tx
    .select({ status: jobs.status, fence: jobs.fence, limitedKeyId })
    .from(jobs)
    .where(and(eq(jobs.id, id), eq(jobs.accountId, accountId)))
    .for("no key update");
  return job;
}

/** Stores the length of the video. Returns false if the job no longer runs under this claim. */
export async function saveDuration(db: Db, job: { id: string; fence: number; durationMs: number }): Promise<boolean> {
  const saved = await db
    .update(jobs)
    .set({ durationMs: Math.round(job.durationMs) })
    .where(and(runsUnder(job), withoutFlush))
    .returning({ id: jobs.id });
  return saved.length > 0;
}

/**
 * Hands back a claim on an open job: its run ends without a result and without a fault of the job, so it does not count
 * as failed. A later claim may have taken the job meanwhile. A claim that is not handed back counts as failed from the
 * next claim on. May run twice.
 */
export async function handBackJob(db: Db, { id, claim }: { id: string; claim: string }): Promise<void> {
  await db
    .update(jobs)
    .set({ openClaims: sql`array_remove(${jobs.openClaims}, ${claim}::uuid)` })
    .where(and(eq(jobs.id, id), isOpen, sql`${claim}::uuid = any(${jobs.openClaims})`));
}

/** The effort of the run that ended a job, for people to read. */
export type JobEffort = {
  /** How many questions it asked the provider; 0 if it asked none. */
  attempts: number;
  /** How long each of its stages took, in milliseconds. */
  stages: Readonly<Record<string, number>>;
  /** What the second look at its times found, if there was one. */
  secondLook?: SecondLookCounts | undefined;
  /** The provider's tokens that it cost. */
  tokens: number;
  /** What these cost, in US dollars. */
  dollars: number;
  /** How long it had a place of the processor, in milliseconds. */
  processorMs: number;
};

type Answer = {
  id: string;
  fence: number;
  dataText: string;
  model: string;
  billedSeconds: number;
  /** Stored with the answer; undefined for a job that was not asked for it. */
  evidenceText?: string | undefined;
  effort?: JobEffort | undefined;
};

/**
 * Marks a running job as succeeded and stores its answer (JSON text). The ledger charges for it in the same transaction.
 * Returns false, and changes nothing, if the job no longer runs under this claim.
 */
export async function succeedJob(
  tx: Tx,
  { dataText, model, billedSeconds, evidenceText, effort, ...job }: Answer,
): Promise<boolean> {
  const changed = await tx
    .update(jobs)
    .set({ status: "succeeded", dataText, model, billedSeconds, evidenceText, ...columnsOf(effort), ...finishedNow })
    .where(runsUnder(job))
    .returning({ id: jobs.id });
  return changed.length > 0;
}

type Failure = {
  id: string;
  fence?: number;
  error: ErrorInside;
  retryAfterSeconds?: number;
  effort?: JobEffort | undefined;
};

/**
 * Marks an open job as failed and stores its error; with a fence, only if that claim is its newest. The ledger
 * releases the hold in the same transaction. Returns whether this call failed the job.
 */
export async function failJob(tx: Tx, job: Failure): Promise<boolean> {
  const { id, fence, error, retryAfterSeconds = null, effort } = job;
  const changed = await tx
    .update(jobs)
    .set({
      status: "failed",
      errorText: JSON.stringify(error),
      retryAfterSeconds,
      ...columnsOf(effort),
      ...finishedNow,
    })
    .where(and(eq(jobs.id, id), isOpen, fence === undefined ? undefined : isNewestClaim(fence)))
    .returning({ id: jobs.id });
  return changed.length > 0;
}

/** A job that was never claimed has the fence 0. */
const isNewestClaim = (fence: number) => sql`${jobs.fence} > 0 and ${eq(jobs.fence, fence)}`;

function columnsOf(effort: JobEffort | undefined) {
  return (
    effort && {
      attempts: effort.attempts,
      stagesText: JSON.stringify({ ...effort.stages, second_look: effort.secondLook }),
    }
  );
}

/** A URL may contain a secret, so it is deleted as soon as nothing needs it. */
const finishedNow = { finishedAt: sql`clock_timestamp()`, videoUrl: null };

/**
 * Records that the video of a finished job is deleted everywhere. Does not change an open job. The commit does not wait
 * for the disk, because the job's caller waits for this record. If a crash loses the record, a sweep repeats the
 * clean-up.
 */
export async function markCleanedUp(db: Db, id: string): Promise<void> {
  await db
    .update(jobs)
    .set({ cleanedAt: sql`now()` })
    .where(and(eq(jobs.id, id), isNotNull(jobs.finishedAt), isNull(jobs.cleanedAt), withoutFlush));
}
