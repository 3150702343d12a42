import type { Clip, Detail, SecondLook } from "@video-to-json/contract";
import type { Tx } from "../connection/open-database.ts";
import { runStatement } from "../connection/run-statement.ts";
import { Withheld } from "../connection/withheld.ts";
import { videoUrlSha256 } from "./video-url-sha256.ts";

type NewJob = {
  id: string;
  accountId: string;
  /** The key that made the request. None by default. */
  keyId?: string | null;
  /** The schema as the caller sent it, character for character. */
  schemaText: string;
  instructions: string | null;
  /** The URL, or null if the video is in storage (`hasUpload`). */
  videoUrl: string | null;
  hasUpload: boolean;
  requestHash: string;
  /** Whether its times get a second look. The setting of the worker by default. */
  secondLook?: SecondLook | null;
  /** The part of the video to look at; the whole video by default. */
  clip?: Clip | null;
  /** `standard` by default. */
  detail?: Detail | undefined;
  /** The id of the call that waits for the job, if the job is cancelled when all its waiters have left. */
  waiter?: string | undefined;
  /** Whether the request asks for evidence. False by default. */
  wantsEvidence?: boolean;
  /** Whether holds must wait until the job is confirmed. False by default. */
  isUnconfirmed?: boolean;
  deadlineSeconds: number;
  /** The trace of the request, as a W3C `traceparent`. None by default. */
  traceParent?: string | undefined;
  /** The id of the request, for the log of the worker. None by default. */
  requestId?: string | undefined;
};

const text = `with job as (insert into jobs
(id, account_id, schema, instructions, video_url, video_url_sha256, has_upload, request_hash, cancellable, key_id, deadline_at, trace_parent,
evidence, second_look, clip_start_seconds, clip_end_seconds, detail, request_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(secs => $11::float8), $14,
case when $15::boolean then 'null'::json end, $16, $17, $18, $19, $20) returning id),
waiter as (insert into job_waiters (call_id, job_id) select $13::uuid, id from job where $13::uuid is not null)
insert into unconfirmed_jobs (job_id) select id from job where $12::boolean`;

/**
 * Inserts a queued job, in one statement. Its deadline is `deadlineSeconds` from now, by the database's clock.
 */
export async function insertJob(
  tx: Tx,
  { waiter, isUnconfirmed = false, wantsEvidence = false, ...job }: NewJob,
): Promise<void> {
  await runStatement(tx, text, [
    job.id,
    job.accountId,
    new Withheld(job.schemaText),
    callerText(job.instructions),
    callerText(job.videoUrl),
    job.videoUrl === null ? null : videoUrlSha256(job.videoUrl),
    job.hasUpload,
    job.requestHash,
    waiter !== undefined,
    job.keyId ?? null,
    job.deadlineSeconds,
    isUnconfirmed,
    waiter ?? null,
    job.traceParent ?? null,
    wantsEvidence,
    job.secondLook ?? null,
    job.clip?.startSeconds ?? null,
    job.clip?.endSeconds ?? null,
    job.detail ?? null,
    job.requestId ?? null,
  ]);
}

function callerText(text: string | null): Withheld | null {
  return text === null ? null : new Withheld(JSON.stringify(text));
}
