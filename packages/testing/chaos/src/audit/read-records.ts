import type { Db } from "@video-to-json/database";

/** The rows of jobs and money in the database. */
export type Records = {
  jobs: readonly JobRecord[];
  /** In the order of insertion. */
  ledger: readonly LedgerRecord[];
  /** The sums of accounts, each up to a row of the ledger. */
  checkpoints: readonly { accountId: string; ledgerId: number; seconds: number }[];
  holds: readonly { jobId: string; accountId: string; seconds: number; state: string }[];
  keys: readonly { accountId: string; key: string; jobId: string }[];
  accounts: readonly { id: string; email: string }[];
};

/** The row of a job. Times are milliseconds since 1970. */
export type JobRecord = {
  id: string;
  accountId: string;
  status: string;
  /** The instructions of its request. */
  marker: string;
  /** The answer's JSON text. */
  dataText: string | null;
  errorCode: string | null;
  model: string | null;
  durationMs: number | null;
  billedSeconds: number;
  fence: number;
  createdAt: number;
  deadlineAt: number;
  finishedAt: number | null;
  cleaned: boolean;
};

type LedgerRecord = {
  id: number;
  accountId: string;
  seconds: number;
  kind: string;
  jobId: string | null;
  reference: string | null;
};

/** Reads all rows in one snapshot. */
export function readRecords(db: Db): Promise<Records> {
  return db.transaction(
    async (tx) => ({
      jobs: (await tx.execute<Row>(jobsQuery)).map(jobOf),
      ledger: (
        await tx.execute<Row>("select id, account_id, seconds, kind, job_id, reference from ledger order by id")
      ).map((row) => ({
        id: Number(row.id),
        accountId: String(row.account_id),
        seconds: Number(row.seconds),
        kind: String(row.kind),
        jobId: textOf(row.job_id),
        reference: textOf(row.reference),
      })),
      checkpoints: (
        await tx.execute<Row>("select account_id, ledger_id, seconds from ledger_checkpoints order by ledger_id")
      ).map((row) => ({
        accountId: String(row.account_id),
        ledgerId: Number(row.ledger_id),
        seconds: Number(row.seconds),
      })),
      holds: (await tx.execute<Row>("select job_id, account_id, seconds, state from holds")).map((row) => ({
        jobId: String(row.job_id),
        accountId: String(row.account_id),
        seconds: Number(row.seconds),
        state: String(row.state),
      })),
      keys: (await tx.execute<Row>("select account_id, key, job_id from idempotency_keys")).map((row) => ({
        accountId: String(row.account_id),
        key: String(row.key),
        jobId: String(row.job_id),
      })),
      accounts: (await tx.execute<Row>("select id, email from accounts")).map((row) => ({
        id: String(row.id),
        email: String(row.email),
      })),
    }),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

type Row = Record<string, unknown>;

const jobsQuery = `select id, account_id, status, instructions #>> '{}' as marker, data, error ->> 'code' as error_code,
  model, duration_ms, billed_seconds, fence, cleaned_at is not null as cleaned,
  extract(epoch from created_at) * 1000 as created_at, extract(epoch from deadline_at) * 1000 as deadline_at,
  extract(epoch from finished_at) * 1000 as finished_at
  from jobs order by created_at, id`;

function jobOf(row: Row): JobRecord {
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    status: String(row.status),
    marker: textOf(row.marker) ?? "",
    dataText: textOf(row.data),
    errorCode: textOf(row.error_code),
    model: textOf(row.model),
    durationMs: row.duration_ms === null ? null : Number(row.duration_ms),
    billedSeconds: Number(row.billed_seconds),
    fence: Number(row.fence),
    createdAt: Number(row.created_at),
    deadlineAt: Number(row.deadline_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    cleaned: row.cleaned === true,
  };
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
