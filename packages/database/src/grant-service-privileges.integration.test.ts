import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { insertAccount, markAccountDeleted } from "./accounts/accounts.ts";
import { openDatabase } from "./connection/open-database.ts";
import { claimNextJob } from "./fair-share/claim-next-job.ts";
import { finishFetch } from "./fair-share/fetches.ts";
import { forgetProcess, recordWorker } from "./fair-share/tickets-and-places.ts";
import { freshDatabase } from "./fresh-database.harness.ts";
import { grantServicePrivileges } from "./grant-service-privileges.ts";
import { deleteExpiredIdempotencyKeys } from "./idempotency/idempotency-keys.ts";
import { eraseUnkeptJobs } from "./jobs/erase-jobs.ts";
import { insertJob } from "./jobs/insert-job.ts";
import { claimTask, finishTask } from "./maintenance/claim-task.ts";
import { deleteOldWaiters } from "./waiters/waiters.ts";

/** A database with a user for API and workers. The test drops both. */
async function withService() {
  const fresh = await freshDatabase();
  const role = `service ${randomBytes(6).toString("hex")}`;
  const url = new URL(fresh.url);
  url.username = encodeURIComponent(role);
  url.password = encodeURIComponent("it's @ pass/word");
  await Promise.all([1, 2, 3].map(() => grantServicePrivileges(fresh.url, url.href)));
  const owner = postgres(fresh.url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await owner.unsafe(`drop owned by "${role}"; drop role "${role}"`);
    await owner.end();
    await fresh[Symbol.asyncDispose]();
  });
  return url.href;
}

test.each([
  "update ledger set seconds = 1",
  "delete from ledger",
  "truncate ledger",
  "alter table ledger disable trigger all",
  "drop table ledger",
  "update ledger_checkpoints set seconds = 1",
  "delete from ledger_checkpoints",
  "update daily_usage set seconds = 0",
  "delete from daily_usage",
  "delete from free_grants",
  "update free_grants set created_at = now()",
  "delete from accounts",
  "create table mine ()",
  "set session_replication_role = replica",
])("the user of API and workers may not: %s", async (statement) => {
  const url = await withService();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: "42501" });
});

test("the user of API and workers has the rights that they need, and may add to the ledger", async () => {
  const url = await withService();
  const { db, close } = openDatabase(url, { maxConnections: 2, applicationName: "test" });
  onTestFinished(close);
  const account = await insertAccount(db, { email: "someone@example.com" });
  const id = crypto.randomUUID();
  await db.transaction((tx) =>
    insertJob(tx, {
      id,
      accountId: account?.id ?? "",
      schemaText: "{}",
      instructions: null,
      videoUrl: "https://example.com/v.mp4",
      hasUpload: false,
      requestHash: "hash",
      deadlineSeconds: 480,
    }),
  );
  const workerId = crypto.randomUUID();
  await recordWorker(db, { workerId, places: 1 });
  const fetched = await claimNextJob(db, { ticket: id, workerId, places: 1, fetches: true });
  expect(fetched).toMatchObject({ fence: 1 });
  if (typeof fetched !== "string") expect(await finishFetch(db, fetched)).toBe(true);
  expect(await claimNextJob(db, { ticket: id, workerId, places: 1 })).toMatchObject({ fence: 2 });
  await forgetProcess(db, workerId);
  await deleteExpiredIdempotencyKeys(db, { maxAgeHours: 24, limit: 10 });
  await deleteOldWaiters(db, { limit: 10 });
  const task = { name: "task", intervalMs: 1000, leaseMs: 1000 };
  expect(await claimTask(db, task)).toBe(1);
  await finishTask(db, task, 1);
  await db.execute(
    `insert into ledger (account_id, seconds, kind, reference) values ('${account?.id}', 60, 'grant', 'test')`,
  );
  for (const jobId of [id, crypto.randomUUID()]) {
    await db.execute(
      `insert into ledger (account_id, seconds, kind, job_id) values ('${account?.id}', -30, 'debit', '${jobId}')`,
    );
  }
  expect(await db.execute("select seconds::int, jobs from daily_usage")).toEqual([{ seconds: 60, jobs: 2 }]);
  await db.execute(
    `insert into ledger_checkpoints (account_id, ledger_id, seconds) select account_id, id, seconds from ledger`,
  );
  expect(await db.transaction((tx) => markAccountDeleted(tx, account?.id ?? ""))).toBe(true);
  await eraseUnkeptJobs(db, { limit: 10 });
});

test("the owner is refused as the user of API and workers", async () => {
  await using fresh = await freshDatabase();
  await expect(grantServicePrivileges(fresh.url, fresh.url)).rejects.toThrow("names the owner");
});
