import { details, jobStatuses, secondLooks } from "@video-to-json/contract";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { ofAccount } from "./accounts.ts";
import { bytes, callerText, jsonText, moment } from "./column-types.ts";

/** Replaces null in indexes, where null has no order. */
export const noKey = "00000000-0000-0000-0000-000000000000";
/** The key of a job, or `noKey`. */
export const keyOrNone = sql.raw(`coalesce(key_id, '${noKey}'::uuid)`);

/**
 * The SQL expression for the code of a job's error. It reads the text, because `->>` fails on an error whose details
 * contain U+0000. The code is the first member, in both stored spellings.
 */
export const errorCode = `substring(error::text from '^\\{"code" ?: ?"([a-z_]+)"')`;

/** What a job may need its worker to understand (docs/decisions/0001, "Health decides who works"). */
export const jobNeeds = [
  "clip",
  "detail",
  "evidence",
  "second_look",
  "complete_lists",
  "no_complete_lists",
  "video_key",
] as const;
export type JobNeed = (typeof jobNeeds)[number];

/** The state of every job. The queue holds ids only. */
export const jobs = pgTable(
  "jobs",
  {
    id: uuid("id").primaryKey(),
    accountId: ofAccount(),
    /** The key that made the job; null without one. Not a foreign key, because a key may be deleted. */
    keyId: uuid("key_id"),
    status: text("status", { enum: jobStatuses }).notNull().default("queued"),
    createdAt: moment("created_at").notNull().defaultNow(),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
    deadlineAt: moment("deadline_at").notNull(),
    /** The name of the uploaded file. Null for a URL, which is deleted with everything in it. */
    title: text("title"),
    schemaText: jsonText("schema").notNull(),
    instructions: callerText("instructions"),
    /** May contain a secret, so it is deleted when the job finishes. */
    videoUrl: callerText("video_url"),
    /** SHA-256 of the URL, by which its account finds the job later. Null for an upload. */
    videoUrlSha256: bytes("video_url_sha256"),
    /** Whether storage has the video. */
    hasUpload: boolean("has_upload").notNull(),
    /** The claim that fetched the video: storage has it under the id of that claim. Null: under the id of the job. */
    videoKey: uuid("video_key"),
    requestHash: text("request_hash").notNull(),
    /** Whether its times get a second look. Null: the setting of the worker decides. */
    secondLook: text("second_look", { enum: secondLooks }),
    /** The requested clip, in seconds from the start of the video. Null: from its start, or to its end. */
    clipStartSeconds: integer("clip_start_seconds"),
    clipEndSeconds: integer("clip_end_seconds"),
    /** How closely the provider looks. Null: `standard`. */
    detail: text("detail", { enum: details }),
    /** What its worker must understand. A worker of an older release leaves the job to others. */
    needs: text("needs").array().notNull().default([]),
    /** Whether the job is cancelled when the last of its `job_waiters` leaves. */
    cancellable: boolean("cancellable").notNull().default(false),
    /** Raised by every claim, so that a worker with an earlier claim can write nothing. */
    fence: integer("fence").notNull().default(0),
    /** The claims that were not handed back: the newest one, and those that failed. */
    openClaims: uuid("open_claims").array().notNull().default([]),
    durationMs: integer("duration_ms"),
    billedSeconds: integer("billed_seconds").notNull().default(0),
    model: text("model"),
    dataText: jsonText("data"),
    errorText: jsonText("error"),
    /**
     * The evidence of the data (docs/decisions/0001, "Evidence"). Null: the request did not ask for it. The JSON null:
     * none is gathered yet.
     */
    evidenceText: jsonText("evidence"),
    /**
     * How many questions the run that ended the job asked, and how long each of its stages took. Null if not recorded.
     */
    attempts: integer("attempts"),
    stagesText: jsonText("stages"),
    /** Retry-After of the waiting request, in seconds after the job finished. Not part of the job record. */
    retryAfterSeconds: integer("retry_after_seconds"),
    /** The trace of the request that made the job, as a W3C `traceparent`. Null without tracing. */
    traceParent: text("trace_parent"),
    /** The id of the request that made the job, for the log (`X-Request-Id`). */
    requestId: text("request_id"),
    /** When the video was deleted everywhere, at the provider too. */
    cleanedAt: moment("cleaned_at"),
    /**
     * When its contents were erased: schema, instructions, answer and the text of its error. Callers cannot read it any
     * more.
     */
    erasedAt: moment("erased_at"),
  },
  (table) => [
    index("jobs_account_newest").on(table.accountId, table.createdAt, table.id),
    index("jobs_listed").on(table.accountId, table.status, table.createdAt, table.id).where(sql`erased_at is null`),
    index("jobs_of_key")
      .on(table.accountId, keyOrNone, table.status, table.createdAt, table.id)
      .where(sql`erased_at is null`),
    index("jobs_of_code")
      .on(table.accountId, sql.raw(errorCode), table.createdAt, table.id, keyOrNone)
      .where(sql`status = 'failed' and erased_at is null`),
    index("jobs_failed")
      .on(table.accountId, table.finishedAt, table.keyId, table.durationMs)
      .where(sql`status = 'failed'`),
    index("jobs_of_url")
      .on(table.accountId, table.videoUrlSha256, table.createdAt, table.id)
      .where(sql`video_url_sha256 is not null and erased_at is null`),
    index("jobs_to_replay")
      .on(table.accountId, table.requestHash, table.finishedAt)
      .where(sql`status = 'succeeded' and erased_at is null`),
    index("jobs_open_account").on(table.accountId).where(sql`status in ('queued', 'running')`),
    index("jobs_open_created").on(table.createdAt).where(sql`status in ('queued', 'running')`),
    index("jobs_open_deadline").on(table.deadlineAt).where(sql`status in ('queued', 'running')`),
    index("jobs_uncleaned").on(table.finishedAt).where(sql`finished_at is not null and cleaned_at is null`),
    index("jobs_unerased").on(table.finishedAt).where(sql`finished_at is not null and erased_at is null`),
    index("jobs_deleted").on(table.erasedAt).where(sql`request_hash = ''`),
    check("jobs_status", sql`status in ('queued', 'running', 'succeeded', 'failed')`),
    check("jobs_started", sql`started_at is not null or status in ('queued', 'failed')`),
    check("jobs_finished", sql`(finished_at is not null) = (status in ('succeeded', 'failed'))`),
    check("jobs_data", sql`(data is not null) = (status = 'succeeded')`),
    check("jobs_error", sql`(error is not null) = (status = 'failed')`),
    check("jobs_billed", sql`case when status = 'succeeded' then billed_seconds > 0 else billed_seconds = 0 end`),
    check("jobs_duration", sql`duration_ms >= 0`),
    check(
      "jobs_source",
      sql`case when finished_at is null then (video_url is not null) <> has_upload else video_url is null end`,
    ),
    check("jobs_cleaned", sql`cleaned_at is null or finished_at is not null`),
  ],
);

/** The job and the request of each idempotency key of an account. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    accountId: ofAccount(),
    key: text("key").notNull(),
    requestHash: text("request_hash").notNull(),
    jobId: uuid("job_id")
      .notNull()
      .references(() => jobs.id, { onDelete: "cascade" }),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.key] }), index("idempotency_keys_age").on(table.createdAt)],
);

/**
 * The calls that share a job with identical requests. A call that may cancel, and leaves, deletes its row. Repeating
 * either write changes nothing.
 */
export const jobWaiters = pgTable(
  "job_waiters",
  {
    /** The id of the call's request. */
    callId: uuid("call_id").primaryKey(),
    jobId: uuid("job_id")
      .notNull()
      .references(() => jobs.id, { onDelete: "cascade" }),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("job_waiters_job").on(table.jobId), index("job_waiters_age").on(table.createdAt)],
);
