import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, newAccount, newJob } from "../fresh-database.ts";
import { claimJob } from "../jobs/claim-job.ts";
import { findIdempotencyKey } from "./find-idempotency-key.ts";
import { saveIdempotencyKey } from "./save-idempotency-key.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("a key stands for its account's job, as that job stands now", async () => {
  const { accountId, jobId } = await accountWithJob();
  const other = await accountWithJob();
  await save({ accountId, key: "k", requestHash: "h", jobId });
  expect(await find(accountId, "k")).toEqual({ jobId, requestHash: "h", jobStatus: "queued" });
  await claimJob(fresh.db, jobId);
  expect(await find(accountId, "k")).toMatchObject({ jobStatus: "running" });
  expect(await find(accountId, "K")).toBeUndefined();
  expect(await find(other.accountId, "k")).toBeUndefined();
});

test("a key that is saved again stands for the new job alone", async () => {
  const { accountId, jobId } = await accountWithJob();
  await save({ accountId, key: "k", requestHash: "h", jobId });
  const next = await newJob(fresh.db, accountId);
  await save({ accountId, key: "k", requestHash: "h2", jobId: next });
  expect(await find(accountId, "k")).toEqual({ jobId: next, requestHash: "h2", jobStatus: "queued" });
});

test("a key is forgotten after its hours, and remembered anew when it is saved again", async () => {
  const { accountId, jobId } = await accountWithJob();
  const entry = { accountId, key: "k", requestHash: "h", jobId };
  await save(entry);
  await fresh.db.execute(sql`
    update idempotency_keys set created_at = now() - interval '24 hours' where account_id = ${accountId}`);
  expect(await find(accountId, "k")).toBeUndefined();
  expect(await find(accountId, "k", 25)).toBeDefined();
  await save(entry);
  expect(await find(accountId, "k")).toBeDefined();
});

async function accountWithJob() {
  const { id: accountId } = await newAccount(fresh.db);
  return { accountId, jobId: await newJob(fresh.db, accountId) };
}

function save(entry: Parameters<typeof saveIdempotencyKey>[1]) {
  return fresh.db.transaction((tx) => saveIdempotencyKey(tx, entry));
}

function find(accountId: string, key: string, maxAgeHours = 24) {
  return findIdempotencyKey(fresh.db, { accountId, key, maxAgeHours });
}
