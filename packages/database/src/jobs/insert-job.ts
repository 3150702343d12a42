import { createHash } from "node:crypto";
import type { Clip, CompleteLists, Detail, SecondLook } from "@video-to-json/contract";
import { eq, sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { sendTogether } from "../connection/statements.ts";
import { queueJobs } from "../tables/fair-share.ts";
import { type JobNeed, jobs } from "../tables/jobs.ts";
import { addWaiter } from "../waiters/waiters.ts";

type NewJob = {
  id: string;
  accountId: string;
  /** The key that made the request. None by default. */
  keyId?: string | null;
  /** The schema as the caller sent it, character for character. */
  schemaText: string;
  instructions: string | null;
  /** The name of the uploaded file. None by default. */
  title?: string | null;
  /** The URL, or null if the video is in storage (`hasUpload`). */
  videoUrl: string | null;
  hasUpload: boolean;
  /** The network of the request, by which fetches of URLs are shared. None by default. */
  callerNetwork?: string | undefined;
  requestHash: string;
  /** Whether its times get a second look. The setting of the worker by default. */
  secondLook?: SecondLook | null;
  /** Whether its lists of moments are completed. The setting of the worker by default. */
  completeLists?: CompleteLists | undefined;
  /** The part of the video to look at; the whole video by default. */
  clip?: Clip | null;
  /** `standard` by default. */
  detail?: Detail | undefined;
  /** The id of the call that waits for the job, if the job is cancelled when all its waiters have left. */
  waiter?: string | undefined;
  /** Whether the request asks for evidence. False by default. */
  wantsEvidence?: boolean;
  deadlineSeconds: number;
  /** The trace of the request, as a W3C `traceparent`. None by default. */
  traceParent?: string | undefined;
  /** The id of the request, for the log of the worker. None by default. */
  requestId?: string | undefined;
};

/**
 * Inserts a queued job and the call that waits for it. Starts its statements together. The deadline is `deadlineSeconds`
 * from now, by the database's clock.
 */
export async function insertJob(tx: Tx, { waiter, wantsEvidence = false, ...job }: NewJob): Promise<void> {
  const { id, accountId, keyId, schemaText, instructions, videoUrl, hasUpload, requestHash } = job;
  const row = {
    ...{ id, accountId, keyId, schemaText, instructions, videoUrl, hasUpload, requestHash },
    videoUrlSha256: videoUrl === null ? null : videoUrlSha256(videoUrl),
    cancellable: waiter !== undefined,
    deadlineAt: sql`now() + make_interval(secs => ${job.deadlineSeconds}::float8)`,
    evidenceText: wantsEvidence ? "null" : null,
    secondLook: job.secondLook,
    clipStartSeconds: job.clip?.startSeconds,
    clipEndSeconds: job.clip?.endSeconds,
    detail: job.detail,
    title: job.title,
    traceParent: job.traceParent,
    requestId: job.requestId,
    needs: needsOf({ ...job, wantsEvidence }),
  };
  // `execute` starts it at once. The row of the waiter names the job, so it must come second.
  const inserted = tx.insert(jobs).values(row).execute();
  const { callerNetwork } = job;
  await sendTogether([
    inserted,
    videoUrl !== null &&
      callerNetwork !== undefined &&
      tx.update(queueJobs).set({ caller: callerNetwork }).where(eq(queueJobs.jobId, id)).execute(),
    waiter !== undefined && addWaiter(tx, { jobId: id, callId: waiter }),
  ]);
}

function needsOf({ clip, detail, wantsEvidence, secondLook, completeLists }: Partial<NewJob>): JobNeed[] {
  // A job gets the need `video_key` when the fetch of its video ends.
  const needs = {
    ...{ clip, detail, evidence: wantsEvidence, second_look: secondLook },
    ...{ complete_lists: completeLists === "on", no_complete_lists: completeLists === "off" },
  } satisfies Record<Exclude<JobNeed, "video_key">, unknown>;
  return (Object.keys(needs) as (keyof typeof needs)[]).filter((need) => needs[need]);
}

/** Returns the SHA-256 of a video's URL. With it, the account finds the job after the URL itself was deleted. */
export function videoUrlSha256(url: string): Buffer {
  return createHash("sha256").update(url).digest();
}
