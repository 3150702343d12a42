import { randomUUID } from "node:crypto";
import type { Clip, Detail, SecondLook } from "@video-to-json/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { type ClipColumns, clipOf } from "./clip-columns.ts";
import { isOpen } from "./open-job.ts";

/** A claimed job, as the worker needs it. */
export type ClaimedJob = {
  id: string;
  accountId: string;
  /** The number of this claim, from 1. Every later write carries it. */
  fence: number;
  /** The id of this claim, for `handBackJob`. */
  claim: string;
  /**
   * How many earlier claims failed: the run threw, or the worker vanished. At most one of them may still be running.
   */
  failedClaims: number;
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
  /** By this machine's clock, which may differ from the database's. */
  deadlineAt: Date;
  /** How long the job has existed, in milliseconds by the database's clock. */
  ageMs: number;
  /** The trace of the request that made the job, as a W3C `traceparent`. */
  traceParent: string | null;
  /** The id of the request that made the job. */
  requestId: string | null;
};

/**
 * What a claim changes in the job's row. A claim that is repeated, because the reply was lost, has the same id and counts
 * once.
 */
export function underNewClaim(claim: string) {
  return {
    status: "running",
    fence: sql`${jobs.fence} + 1`,
    openClaims: sql`array_append(array_remove(${jobs.openClaims}, ${claim}::uuid), ${claim}::uuid)`,
    // `now()` is the start of the transaction, which may have waited for a lock while the job was created.
    startedAt: sql`coalesce(${jobs.startedAt}, clock_timestamp())`,
  } as const;
}

/** The columns that a claim returns. */
export const claimedColumns = {
  id: jobs.id,
  accountId: jobs.accountId,
  fence: jobs.fence,
  failedClaims: sql`cardinality(${jobs.openClaims}) - 1`.mapWith(Number),
  schemaText: jobs.schemaText,
  instructions: jobs.instructions,
  videoUrl: jobs.videoUrl,
  secondLook: jobs.secondLook,
  clipStartSeconds: jobs.clipStartSeconds,
  clipEndSeconds: jobs.clipEndSeconds,
  detail: jobs.detail,
  traceParent: jobs.traceParent,
  requestId: jobs.requestId,
  ageMs: sql`extract(epoch from clock_timestamp() - ${jobs.createdAt}) * 1000`.mapWith(Number),
  wantsEvidence: sql<boolean>`${jobs.evidenceText} is not null`,
  leftMs: sql`extract(epoch from ${jobs.deadlineAt} - clock_timestamp()) * 1000`.mapWith(Number),
};

type ClaimedRow = Omit<ClaimedJob, "claim" | "deadlineAt" | "clip" | "detail"> &
  ClipColumns & { detail: Detail | null; leftMs: number };

/** Returns the claimed job of a row of `claimedColumns`. */
export function toClaimedJob(row: ClaimedRow, claim: string): ClaimedJob {
  const { leftMs, clipStartSeconds, clipEndSeconds, detail, ...job } = row;
  return {
    ...job,
    claim,
    clip: clipOf({ clipStartSeconds, clipEndSeconds }),
    detail: detail ?? "standard",
    deadlineAt: new Date(Date.now() + leftMs),
  };
}

/**
 * Claims a job that is queued, or running under an earlier claim. The earlier claim can write nothing from then on.
 * Returns undefined if the job is finished, overdue or unknown.
 */
export async function claimJob(db: Db, id: string, claim: string = randomUUID()): Promise<ClaimedJob | undefined> {
  const [claimed] = await db
    .update(jobs)
    .set(underNewClaim(claim))
    .where(and(eq(jobs.id, id), isOpen, sql`${jobs.deadlineAt} > now()`))
    .returning(claimedColumns);
  return claimed && toClaimedJob(claimed, claim);
}
