import type { Tx } from "@video-to-json/database";
import { numberOf, type Row, textOf } from "./row.ts";

/** The rows of jobs, of Idempotency-Keys, and of calls that share a job. */
export type JobRecords = {
  /** In the order of creation. */
  jobs: readonly JobRecord[];
  keys: readonly { accountId: string; key: string; jobId: string; requestHash: string }[];
  waiters: readonly { callId: string; jobId: string }[];
  /** The ids of the jobs whose API does not know yet that they were admitted. */
};

/** The row of a job. Times are milliseconds since 1970, with fractions. */
export type JobRecord = {
  id: string;
  accountId: string;
  status: string;
  /** The instructions of its request. */
  marker: string;
  schemaText: string;
  hasUpload: boolean;
  requestHash: string;
  /** The answer's JSON text. */
  dataText: string | null;
  /** The JSON text of its answer's evidence. Null if its request did not ask for it; the JSON null if none is there yet. */
  evidenceText: string | null;
  /** Whether its contents are deleted. */
  isErased: boolean;
  errorCode: string | null;
  model: string | null;
  durationMs: number | null;
  billedSeconds: number;
  fence: number;
  createdAt: number;
  deadlineAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  cleanedAt: number | null;
};

/** Reads the rows in a transaction. */
export async function readJobs(tx: Tx): Promise<JobRecords> {
  const jobs = await tx.execute<Row>(jobsQuery);
  const keys = await tx.execute<Row>("select account_id, key, job_id, request_hash from idempotency_keys");
  const waiters = await tx.execute<Row>("select call_id, job_id from job_waiters");
  return {
    jobs: jobs.map(jobOf),
    keys: keys.map((row) => ({
      accountId: String(row.account_id),
      key: String(row.key),
      jobId: String(row.job_id),
      requestHash: String(row.request_hash),
    })),
    waiters: waiters.map((row) => ({ callId: String(row.call_id), jobId: String(row.job_id) })),
  };
}

const jobsQuery = `select id, account_id, status, instructions #>> '{}' as marker, schema, has_upload, request_hash, data, evidence,
  erased_at is not null as is_erased,  error ->> 'code' as error_code, model, duration_ms, billed_seconds, fence,
  extract(epoch from created_at) * 1000 as created_at, extract(epoch from deadline_at) * 1000 as deadline_at,
  extract(epoch from started_at) * 1000 as started_at, extract(epoch from finished_at) * 1000 as finished_at,
  extract(epoch from cleaned_at) * 1000 as cleaned_at
  from jobs order by jobs.created_at, id`;

function jobOf(row: Row): JobRecord {
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    status: String(row.status),
    marker: textOf(row.marker) ?? "",
    schemaText: String(row.schema),
    hasUpload: row.has_upload === true,
    requestHash: String(row.request_hash),
    dataText: textOf(row.data),
    evidenceText: textOf(row.evidence),
    isErased: row.is_erased === true,
    errorCode: textOf(row.error_code),
    model: textOf(row.model),
    durationMs: numberOf(row.duration_ms),
    billedSeconds: Number(row.billed_seconds),
    fence: Number(row.fence),
    createdAt: Number(row.created_at),
    deadlineAt: Number(row.deadline_at),
    startedAt: numberOf(row.started_at),
    finishedAt: numberOf(row.finished_at),
    cleanedAt: numberOf(row.cleaned_at),
  };
}
