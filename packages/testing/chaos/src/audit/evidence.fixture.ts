import { randomUUID } from "node:crypto";
import type { Answered, Attempt, Call, Outcome } from "../load/call.ts";
import { shapes } from "../load/new-call.ts";
import { textOf } from "./caller-answers.ts";
import type { Evidence } from "./evidence.ts";
import { factsOf, sha256 } from "./facts.ts";
import { type Column, jobsIn, type Row } from "./records.ts";

const email = "sample@example.com";
const key = "v2j_sample";
const filesUrl = "http://files";

/** Creates a call of the URL of a short video. */
export function sampleCall(change: Partial<Call> = {}): Call {
  const [shape] = shapes;
  if (!shape) throw new Error("There are no schemas.");
  return {
    marker: "sample",
    account: { id: "a0000000-0000-4000-8000-000000000000", email, key, grantedSeconds: 200 },
    entryPoint: "url",
    video: { name: "blink", bytes: Buffer.alloc(0), durationMs: 1200, billedSeconds: 60 },
    urlPath: "/blink",
    shape,
    idempotencyKey: undefined,
    attempts: [],
    ...change,
  };
}

/**
 * Creates consistent evidence of two jobs of one account: an upload with an Idempotency-Key and evidence that
 * succeeded, and an MCP call that failed after its hold. All tables that a run fills have a row.
 */
export function sampleEvidence() {
  const paid = sampleCall({ entryPoint: "upload", idempotencyKey: "k", extras: ["extract-evidence", "second-look"] });
  const failed = sampleCall({ marker: "failed", entryPoint: "mcp" });
  const [accountId, keyId, paidId, failedId] = [paid.account.id, randomUUID(), randomUUID(), randomUUID()];
  const hashes = factsOf({ ...nothing(), calls: [paid, failed] }).hashes;
  const gathered = {
    ...{ job_id: paidId, duration_ms: 1200, absent: [] },
    ...{ fields: { "/main_color": { spans: [{ start_ms: 0, end_ms: 1200 }] } }, whole_video: [] },
  };
  const job = {
    ...{ account_id: accountId, key_id: keyId, created_at: "1000", started_at: "1500", finished_at: "2000" },
    ...{ deadline_at: "61000", schema: paid.shape.schemaText, video_url: null, clip_start_seconds: null },
    ...{ clip_end_seconds: null, detail: null, fence: "1", open_claims: `{${randomUUID()}}`, duration_ms: "1200" },
    ...{ attempts: "1", stages: '{"obtaining":10}', retry_after_seconds: null, trace_parent: null },
    ...{ cleaned_at: "2500", erased_at: null },
  };
  const jobs: Row[] = [
    {
      ...{ ...job, id: paidId, instructions: '"sample"', has_upload: "true", request_hash: hashes.get("sample") ?? "" },
      ...{ status: "succeeded", video_url_sha256: null, second_look: "times", billed_seconds: "60", model: "m" },
      ...{ data: '{"main_color":"red"}', error: null, evidence: JSON.stringify(gathered), request_id: "sample" },
    },
    {
      ...{
        ...job,
        id: failedId,
        instructions: '"failed"',
        has_upload: "false",
        request_hash: hashes.get("failed") ?? "",
      },
      ...{ status: "failed", video_url_sha256: `\\x${sha256(`${filesUrl}/blink`)}`, second_look: null },
      ...{ billed_seconds: "0", model: null, data: null, error: '{"code":"extraction_failed","message":"x"}' },
      ...{ evidence: null, request_id: "failed" },
    },
  ];
  const tables: Record<string, readonly Row[]> = {
    jobs,
    accounts: [
      {
        ...{ id: accountId, email, max_jobs: null, max_failed_extractions: null, max_failed_percent: null },
        ...{ retention_days: null, created_at: "500", deleted_at: null },
      },
    ],
    api_keys: [
      {
        ...{ id: keyId, account_id: accountId, name: "chaos", sha256: `\\x${sha256(key)}`, display: "v2j_sam" },
        ...{ scope: "extract", monthly_minutes: "1", ends_at: null, created_at: "600", revoked_at: null },
        last_used_at: "1000",
      },
    ],
    free_grants: [{ email_sha256: `\\x${sha256(email)}`, created_at: "500" }],
    ledger: [
      {
        ...{ id: "1", account_id: accountId, seconds: "200", kind: "grant", job_id: null },
        ...{ reference: `free:${sha256(email)}`, created_at: "500" },
      },
      {
        ...{ id: "2", account_id: accountId, seconds: "-60", kind: "debit", job_id: paidId, reference: null },
        created_at: "1900",
      },
    ],
    ledger_checkpoints: [{ account_id: accountId, ledger_id: "2", seconds: "140", created_at: "3000" }],
    daily_usage: [{ account_id: accountId, key_id: keyId, day: "1970-01-01", seconds: "60", jobs: "1" }],
    holds: [
      { job_id: paidId, account_id: accountId, seconds: "60", state: "captured", created_at: "1600", ended_at: "1900" },
      {
        job_id: failedId,
        account_id: accountId,
        seconds: "60",
        state: "released",
        created_at: "1600",
        ended_at: "1900",
      },
    ],
    idempotency_keys: [
      ...[{ account_id: accountId, key: "k", request_hash: hashes.get("sample") ?? "", job_id: paidId }].map((row) => {
        return { ...row, created_at: "1000" };
      }),
    ],
    job_waiters: [{ call_id: randomUUID(), job_id: failedId, created_at: "1000" }],
    queue_accounts: [
      {
        ...{ account_id: accountId, waiting: "0", running: "0", last_started_at: "1500", created_at: "1000" },
        ...{ waits: "false", is_active: "false" },
      },
    ],
    workers: [{ id: randomUUID(), places: "3", seen_at: "90000", app: "worker" }],
    maintenance: [{ name: "fail overdue jobs", fence: "7", next_run_at: "95000" }],
  };
  const records = { columns: columnsOf(tables), tables };
  const [record] = jobsIn(records).filter(({ status }) => status === "succeeded");
  if (!record) throw new Error("There is no job.");
  paid.attempts = [attemptOf(answered(textOf(record), paidId))];
  failed.attempts = [attemptOf(answered('{"error":{"code":"extraction_failed"}}', failedId, "extraction_failed"))];
  const evidence: Evidence = {
    ...nothing(),
    calls: [paid, failed],
    records,
    issued: {
      granted: new Map([[email, 200]]),
      ids: new Map([[email, accountId]]),
      keys: new Map([[sha256(key), { key, email, name: "chaos", monthlyMinutes: 1, id: keyId }]]),
    },
    fencesSeen: new Map([paidId, failedId].map((id) => [id, { fence: 1, isFinal: true }])),
    asked: new Map([["m", 100]]),
  };
  return { evidence, paid, failed, paidId, failedId, accountId, answer: textOf(record) };
}

/** Returns the columns of rows as the database describes them, as far as values show their types. */
function columnsOf(tables: Readonly<Record<string, readonly Row[]>>): Column[] {
  const types: [RegExp, string][] = [
    [/_at$/, "timestamptz"],
    [/^(schema|instructions|data|error|evidence|stages)$/, "json"],
  ];
  return Object.entries(tables).flatMap(([table, [row]]) =>
    Object.keys(row ?? {}).map((column) => {
      return { table, column, type: types.find(([pattern]) => pattern.test(column))?.[1] ?? "text" };
    }),
  );
}

function nothing(): Evidence {
  return {
    ...{ calls: [], records: { columns: [], tables: {} }, deleted: new Map(), span: { from: 0, until: 100_000 } },
    issued: { granted: new Map(), ids: new Map(), keys: new Map() },
    running: { workers: 1, places: 3 },
    ...{ filesUrl, jobSeconds: 60, fencesSeen: new Map(), asked: new Map(), outages: [], readings: [] },
    ...{ evidenceReadings: [], left: [], processFaults: [], logFaults: [] },
  };
}

/** Creates a response; with a code, an error response. */
export function answered(text: string, jobId: string | undefined, code?: string): Answered {
  return { is: "answered", status: code ? 500 : 200, text, code, jobId, replayed: false };
}

/** Creates a request with this outcome. */
export function attemptOf(outcome: Outcome): Attempt {
  return { apiUrl: "", startedAt: 0, endedAt: 91_000, outcome };
}
