import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "@video-to-json/database";

/** What can be planted: a fault that the audit must find. */
export const plants = [
  "double-debit",
  "lost-answer",
  "changed-answer",
  "negative-balance",
  "open-hold",
  "unended-job",
  "left-over",
] as const;

/** One of them. */
export type Plant = (typeof plants)[number];

type Place = { db: Db; dataDir: string };

/**
 * Does to a trial's database, or to its files, what the service promises never to do, so that the audit can be seen to
 * find it. `jobId` is a job that was answered with 200. Only for a database that is thrown away.
 */
export async function plant({ db, dataDir }: Place, what: Plant, jobId: string): Promise<void> {
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
      // Of a job of its own, so that only the balance is wrong.
      await run(`with planted as (
          insert into jobs (id, account_id, status, started_at, finished_at, deadline_at, schema, has_upload, request_hash,
            fence, duration_ms, billed_seconds, model, data, cleaned_at)
          select '${randomUUID()}', account_id, status, now(), now(), now(), schema, false, 'planted',
            1, 100000000, 100000, model, data, now() from jobs where id = $job returning id, account_id),
        held as (insert into holds (job_id, account_id, seconds, state, ended_at)
          select id, account_id, 100000, 'captured', now() from planted)
        insert into ledger (account_id, seconds, kind, job_id) select account_id, -100000, 'debit', id from planted`);
      return;
    case "open-hold":
      await run("update holds set state = 'held', ended_at = null where job_id = $job");
      return;
    case "unended-job":
      await run(`insert into jobs (id, account_id, deadline_at, schema, has_upload, request_hash)
        select '${randomUUID()}', account_id, now() + interval '1 hour', schema, true, 'planted' from jobs where id = $job`);
      return;
    case "left-over":
      await writeFile(join(dataDir, "storage", randomUUID()), "planted");
      return;
    default:
      what satisfies never;
  }
}
