import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { isOpen } from "./open-job.ts";

/** A job as the worker that claimed it needs it. */
export type ClaimedJob = {
  id: string;
  accountId: string;
  /** Number of this claim, from 1; every later write names it. */
  fence: number;
  schemaText: string;
  instructions: string | null;
  videoUrl: string | null;
  hasUpload: boolean;
  /** By this machine's clock, however that differs from the database's. */
  deadlineAt: Date;
  createdAt: Date;
};

/**
 * Takes a job that is queued, or running under an earlier claim, which can write no more from here on. Undefined when
 * the job has ended, is past its deadline, or does not exist.
 */
export async function claimJob(db: Db, id: string): Promise<ClaimedJob | undefined> {
  const [claimed] = await db
    .update(jobs)
    .set({
      status: "running",
      fence: sql`${jobs.fence} + 1`,
      startedAt: sql`coalesce(${jobs.startedAt}, now())`,
    })
    .where(and(eq(jobs.id, id), isOpen, sql`${jobs.deadlineAt} > now()`))
    .returning({
      id: jobs.id,
      accountId: jobs.accountId,
      fence: jobs.fence,
      schemaText: jobs.schemaText,
      instructions: jobs.instructions,
      videoUrl: jobs.videoUrl,
      hasUpload: jobs.hasUpload,
      leftMs: sql`extract(epoch from ${jobs.deadlineAt} - clock_timestamp()) * 1000`.mapWith(Number),
      createdAt: jobs.createdAt,
    });
  if (!claimed) return undefined;
  const { leftMs, ...job } = claimed;
  return { ...job, deadlineAt: new Date(Date.now() + leftMs) };
}
