import { randomUUID } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "@video-to-json/database";
import { type Call, successOf } from "../load/call.ts";

/** The violations that can be planted. The audit must find each. */
export const plants = [
  "double-debit",
  "lost-answer",
  "changed-answer",
  "negative-balance",
  "open-hold",
  "unfinished-job",
  "leftover",
  "late-end",
  "lost-model",
  "uncleaned-job",
  "moved-hold",
  "moved-debit",
  "unknown-debit",
  "unknown-grant",
  "wrong-checkpoint",
  "unasked-job",
  "changed-bill",
  "doubled-key",
  "unhandled-rejection",
  "charged-error",
] as const;

/** One planted violation. */
export type Plant = (typeof plants)[number];

type Place = { db: Db; dataDir: string; calls: readonly Call[] };

/**
 * Plants a violation in the database, the files or the recorded responses of a run, to show that the audit finds it.
 * `jobId` is a job whose response was 200. The logs are in `logs` below `dataDir`. The database is unusable afterwards.
 */
export async function plant({ db, dataDir, calls }: Place, what: Plant, jobId: string): Promise<void> {
  const run = (statement: string) => db.execute(statement.replaceAll("$job", `'${jobId}'`));
  switch (what) {
    case "double-debit":
      await run("drop index ledger_debit_job");
      await run(`insert into ledger (account_id, seconds, kind, job_id)
        select account_id, seconds, kind, job_id from ledger where job_id = $job`);
      return;
    case "lost-answer":
      await run(`update jobs set status = 'failed', data = null, billed_seconds = 0,
        error = '{"code":"internal_error","message":"planted"}' where id = $job`);
      return;
    case "changed-answer":
      await run(`update jobs set data = '{"planted":true}' where id = $job`);
      return;
    case "negative-balance":
      await run(anotherJob("instructions", 100_000));
      return;
    case "open-hold":
      await run("update holds set state = 'held', ended_at = null where job_id = $job");
      return;
    case "unfinished-job":
      await run(`insert into jobs (id, account_id, deadline_at, schema, has_upload, request_hash)
        select '${randomUUID()}', account_id, now() + interval '1 hour', schema, true, 'planted' from jobs where id = $job`);
      return;
    case "leftover":
      await writeFile(join(dataDir, "storage", randomUUID()), "planted");
      return;
    case "late-end":
      await run("update jobs set finished_at = deadline_at + interval '1 hour' where id = $job");
      return;
    case "lost-model":
      await run("update jobs set model = null where id = $job");
      return;
    case "uncleaned-job":
      await run("update jobs set cleaned_at = null where id = $job");
      return;
    case "moved-hold":
      await run(`${anotherAccount} update holds set account_id = (select id from other) where job_id = $job`);
      return;
    case "moved-debit":
      await run("alter table ledger disable trigger all");
      await run(`${anotherAccount} update ledger set account_id = (select id from other) where job_id = $job`);
      return;
    case "unknown-debit":
      await run(`insert into ledger (account_id, seconds, kind, job_id)
        select account_id, -1, 'debit', '${randomUUID()}' from jobs where id = $job`);
      return;
    case "unknown-grant":
      await run(`insert into ledger (account_id, seconds, kind, reference)
        select account_id, 100000, 'grant', 'planted' from jobs where id = $job`);
      return;
    case "wrong-checkpoint":
      await run(`insert into ledger_checkpoints (account_id, ledger_id, seconds)
        select account_id, max(id), sum(seconds) + 1 from ledger
        where account_id = (select account_id from jobs where id = $job) group by account_id`);
      return;
    case "unasked-job":
      await run(anotherJob("null", 1));
      return;
    case "changed-bill":
      await run("update jobs set billed_seconds = billed_seconds + 1 where id = $job");
      return;
    case "doubled-key":
      await run("alter table idempotency_keys drop constraint idempotency_keys_account_id_key_pk");
      await run(`insert into idempotency_keys (account_id, key, request_hash, job_id)
        select account_id, 'planted', 'planted', id from jobs, generate_series(1, 2) where id = $job`);
      return;
    case "unhandled-rejection":
      await appendFile(
        join(dataDir, "logs", "api-1.log"),
        `${JSON.stringify({ level: 50, msg: "unhandled rejection" })}\n`,
      );
      return;
    case "charged-error":
      plantErrorResponse(calls, jobId);
      return;
    default:
      what satisfies never;
  }
}

/** Changes the record of the client: it sent one request for the succeeded job and got an error. */
function plantErrorResponse(calls: readonly Call[], jobId: string): void {
  const call = calls.find(({ attempts }) => attempts.some((attempt) => successOf(attempt)?.jobId === jobId));
  const [first] = call?.attempts ?? [];
  if (!call || !first) throw new Error(`No client got a response for job ${jobId}.`);
  const code = "extraction_failed";
  const text = JSON.stringify({ error: { code, message: "planted" } });
  call.attempts = [{ ...first, outcome: { is: "answered", status: 422, text, code, jobId, replayed: false } }];
}

const anotherAccount = "with other as (insert into accounts (email) values ('planted@example.com') returning id)";

/** Returns the statement that inserts a copy of a job with a correct charge, as if its account had requested it. */
function anotherJob(instructions: string, seconds: number): string {
  return `with planted as (
      insert into jobs (id, account_id, status, started_at, finished_at, deadline_at, schema, instructions, has_upload,
        request_hash, fence, duration_ms, billed_seconds, model, data, cleaned_at)
      select '${randomUUID()}', account_id, status, now(), now(), now(), schema, ${instructions}, false,
        'planted', 1, 1000 * ${seconds}, ${seconds}, model, data, now() from jobs where id = $job returning id, account_id),
    held as (insert into holds (job_id, account_id, seconds, state, ended_at)
      select id, account_id, ${seconds}, 'captured', now() from planted)
    insert into ledger (account_id, seconds, kind, job_id) select account_id, -${seconds}, 'debit', id from planted`;
}
