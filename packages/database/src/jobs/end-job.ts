import type { ErrorInside } from "@video-to-json/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen, runsUnder } from "./open-job.ts";

/** The effort of the run that ended a job, for people to read. */
export type JobEffort = {
  /** How many questions it asked the provider; 0 if it asked none. */
  attempts: number;
  /** How long each of its stages took, in milliseconds. */
  stages: Readonly<Record<string, number>>;
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
 * Marks an open job as failed and stores its error; with a fence, only if the job runs under that claim. The ledger
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
    .where(fence === undefined ? and(eq(jobs.id, id), isOpen) : runsUnder({ id, fence }))
    .returning({ id: jobs.id });
  return changed.length > 0;
}

function columnsOf(effort: JobEffort | undefined) {
  return effort && { attempts: effort.attempts, stagesText: JSON.stringify(effort.stages) };
}

/** A URL may contain a secret, so it is deleted as soon as nothing needs it. */
const finishedNow = { finishedAt: sql`clock_timestamp()`, videoUrl: null };
