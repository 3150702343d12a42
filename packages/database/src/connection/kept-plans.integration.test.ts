import { randomBytes, randomUUID } from "node:crypto";
import { createTestDatabase } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { claimNextJob } from "../fair-share/claim-next-job.ts";
import { newJob } from "../fresh-database.harness.ts";
import { findIdempotencyKey, saveIdempotencyKey } from "../idempotency/idempotency-keys.ts";
import { markCleanedUp, saveDuration } from "../jobs/change-job.ts";
import { findFinishedJobs, findJob, findJobStates, findRecentSuccess } from "../jobs/find-job.ts";
import { listJobPage } from "../jobs/list-jobs.ts";
import { findCallerByKey } from "../keys/find-caller-by-key.ts";
import { insertKey } from "../keys/keys.ts";
import { readAccountState } from "../money/account-state.ts";
import { failAndRelease } from "../money/cancel.ts";
import { hold } from "../money/hold.ts";
import { openAccount } from "../money/open-account.ts";
import { settle } from "../money/settle.ts";
import { type Db, openDatabase } from "./open-database.ts";

const jobCount = 20_000;

test("a connection that has worked since the service was new reads no large table as a whole", async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  // PostgreSQL keeps plans of each connection.
  const { db, close } = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(close);
  const { account } = await openAccount(db, { email: "someone@example.com", freeSeconds: 6_000_000 });
  const sha256 = randomBytes(32);
  const { id: keyId } = await insertKey(db, { accountId: account.id, name: "test", sha256, display: "v2j_live_test" });
  const run = () => runJobs(db, { accountId: account.id, keyId, sha256 });

  // From the sixth run of a statement on, PostgreSQL may keep a plan.
  for (let turn = 0; turn < 8; turn++) await run();
  const kept = await db.execute(sql`select from pg_prepared_statements where generic_plans > 0`);
  expect(kept.length).toBeGreaterThan(20);
  await fill(db, account.id);
  expect(await tablesReadWhole(db, run)).toEqual([]);
  await db.execute(sql`analyze`);
  expect(await tablesReadWhole(db, run)).toEqual([]);
});

const none = { ledgerId: 0, seconds: 0 };

type Owner = { accountId: string; keyId: string; sha256: Buffer };

/** Runs a job that succeeds and one that fails, with the statements of API and worker. */
async function runJobs(db: Db, { accountId, keyId, sha256 }: Owner): Promise<void> {
  for (const succeeds of [true, false]) {
    const key = randomUUID();
    const { checkpoint = none } = (await findCallerByKey(db, sha256)) ?? {};
    await readAccountState(db, { accountId, keyId, hasMonthlyLimit: true, checkpoint });
    await findIdempotencyKey(db, { accountId, key, maxAgeHours: 24 });
    await findRecentSuccess(db, { accountId, requestHash: "hash", maxAgeSeconds: 600 });
    const jobId = await newJob(db, accountId, { keyId });
    await db.transaction((tx) => saveIdempotencyKey(tx, { accountId, key, requestHash: "hash", jobId }));
    const claimed = await claimNextJob(db, { ticket: randomUUID(), workerId: randomUUID(), places: 32 });
    if (typeof claimed === "string") throw new Error(`the claim says ${claimed}`);
    const { id, fence } = claimed;
    await saveDuration(db, { id, fence, durationMs: 1000 });
    await hold(db, { jobId, fence, accountId, seconds: 60, tokens: 9000 });
    if (succeeds) await settle(db, { jobId, fence, accountId, dataText: "{}", model: "m", billedSeconds: 60 });
    else await failAndRelease(db, { jobId, fence, error: { code: "extraction_failed", message: "m" } });
    await markCleanedUp(db, jobId);
    await findFinishedJobs(db, [jobId, randomUUID()]);
    await findJobStates(db, [jobId, randomUUID()]);
    await findJob(db, { id: jobId, accountId });
    await listJobPage(db, { accountId, limit: 20 });
  }
}

/** Writes finished jobs with their holds and debits, half of them of this account. */
async function fill(db: Db, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`insert into accounts (email) select n || '@example.com' from generate_series(1, 1000) n`);
    await tx.execute(sql`
      insert into jobs (id, account_id, status, created_at, started_at, finished_at, cleaned_at, deadline_at, schema,
        has_upload, request_hash, data, billed_seconds, duration_ms)
      select gen_random_uuid(), case when n % 2 = 0 then ${accountId}::uuid else ids[1 + n % 1000] end, 'succeeded',
        at, at, at, at, at, '{}', true, 'hash' || n, '{}', 60, 1000
      from generate_series(1, ${jobCount}) n, (select array_agg(id) ids from accounts) a,
        lateral (select now() - n * interval '1 minute' as at) times`);
    await tx.execute(sql`
      insert into holds (job_id, account_id, seconds, state, ended_at)
      select id, account_id, 60, 'captured', now() from jobs where status = 'succeeded' on conflict do nothing`);
    await tx.execute(sql`
      insert into ledger (account_id, seconds, kind, job_id)
      select account_id, -60, 'debit', id from jobs where status = 'succeeded' on conflict do nothing`);
    await tx.execute(sql`
      insert into idempotency_keys (account_id, key, request_hash, job_id)
      select account_id, id::text, 'hash', id from jobs`);
  });
}

/** Returns the tables of which `run` reads a thousand rows or more without an index. */
async function tablesReadWhole(db: Db, run: () => Promise<void>): Promise<unknown[]> {
  const read = async () => {
    await db.execute(sql`select pg_stat_force_next_flush()`);
    return await db.execute<{ name: string; rows: number }>(sql`
      select relname as name, seq_tup_read::float8 as rows from pg_stat_user_tables order by relname`);
  };
  const before = await read();
  await run();
  const after = await read();
  return after
    .map(({ name, rows }, index) => ({ name, rows: rows - (before[index]?.rows ?? 0) }))
    .filter(({ rows }) => rows >= 1000);
}
