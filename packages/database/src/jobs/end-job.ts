import type { ErrorInside } from "@video-to-json/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen, runsUnder } from "./open-job.ts";

type Answer = { id: string; fence: number; dataText: string; model: string; billedSeconds: number };

/**
 * Ends a running job with its answer, as JSON text. False when it no longer runs under this claim. Charging is the
 * ledger's to do, in the same transaction.
 */
export async function succeedJob(tx: Tx, { dataText, model, billedSeconds, ...job }: Answer): Promise<boolean> {
  const ended = await tx
    .update(jobs)
    .set({ status: "succeeded", dataText, model, billedSeconds, ...ending })
    .where(runsUnder(job))
    .returning({ id: jobs.id });
  return ended.length > 0;
}

type Failure = { id: string; fence?: number; error: ErrorInside; retryAfterSeconds?: number };

/**
 * Ends an open job with an error; with a fence, only if it runs under that claim. Says whether it ended now. Giving
 * back what it holds is the ledger's to do, in the same transaction.
 */
export async function failJob(tx: Tx, job: Failure): Promise<boolean> {
  const { id, fence, error, retryAfterSeconds = null } = job;
  const ended = await tx
    .update(jobs)
    .set({ status: "failed", errorText: JSON.stringify(error), retryAfterSeconds, ...ending })
    .where(fence === undefined ? and(eq(jobs.id, id), isOpen) : runsUnder({ id, fence }))
    .returning({ id: jobs.id });
  return ended.length > 0;
}

/** A URL may hold a secret, and nobody needs it any more. */
const ending = { finishedAt: sql`clock_timestamp()`, videoUrl: null };
