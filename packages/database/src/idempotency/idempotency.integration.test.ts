import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { deleteExpiredIdempotencyKeys, findIdempotencyKey, saveIdempotencyKey } from "./idempotency-keys.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

test("a key finds its account's job and the job's current status", async () => {
  const { accountId, jobId } = await accountWithJob();
  const other = await accountWithJob();
  await save({ accountId, key: "k", requestHash: "h", jobId });
  expect(await find(accountId, "k")).toEqual({ jobId, requestHash: "h", jobStatus: "queued", erasedAt: null });
  await claimJob(fresh.db, jobId);
  expect(await find(accountId, "k")).toMatchObject({ jobStatus: "running" });
  expect(await find(accountId, "K")).toBeUndefined();
  expect(await find(other.accountId, "k")).toBeUndefined();
});

test("a key that is saved again finds only the new job", async () => {
  const { accountId, jobId } = await accountWithJob();
  await save({ accountId, key: "k", requestHash: "h", jobId });
  const next = await newJob(fresh.db, accountId);
  await save({ accountId, key: "k", requestHash: "h2", jobId: next });
  expect(await find(accountId, "k")).toEqual({ jobId: next, requestHash: "h2", jobStatus: "queued", erasedAt: null });
});

test("a key expires after its hours, and works again when it is saved again", async () => {
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

test("expired keys are deleted oldest first, up to the limit, and no others", async () => {
  const { accountId, jobId } = await accountWithJob();
  const ages = { oldest: 30, older: 25, old: 24, remembered: 23 };
  for (const [key, hours] of Object.entries(ages)) {
    await save({ accountId, key, requestHash: "h", jobId });
    await fresh.db.execute(sql`
      update idempotency_keys set created_at = now() - make_interval(hours => ${hours}::int)
      where account_id = ${accountId} and key = ${key}`);
  }
  const left = async () => {
    const rows = await fresh.db.execute(sql`select key from idempotency_keys where account_id = ${accountId}`);
    return rows.map(({ key }) => key).toSorted();
  };
  const clear = (limit: number) => deleteExpiredIdempotencyKeys(fresh.db, { maxAgeHours: 24, limit });
  expect(await clear(2)).toBe(2);
  expect(await left()).toEqual(["old", "remembered"]);
  expect([await clear(2), await clear(2)]).toEqual([1, 0]);
  expect(await left()).toEqual(["remembered"]);
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
