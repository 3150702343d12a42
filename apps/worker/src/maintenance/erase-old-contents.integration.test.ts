import { randomUUID } from "node:crypto";
import { findJob, insertAccount, insertJob, openDatabase, setRetention } from "@video-to-json/database";
import { createTestDatabase } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { eraseOldContents } from "./erase-old-rows.ts";

const { signal } = new AbortController();

/** A database with one job of 30 hours ago. */
async function openWithOldJob() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 2, applicationName: "test" });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const { db } = database;
  const id = randomUUID();
  const accountId = (await insertAccount(db, { email: "old@example.com" }))?.id ?? "";
  const request = { schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true, requestHash: "h" };
  await db.transaction((tx) => insertJob(tx, { id, accountId, deadlineSeconds: 480, ...request }));
  await db.execute(sql`update jobs set status = 'failed', error = '{"code":"cancelled"}',
    finished_at = now() - interval '30 hours' where id = ${id}`);
  return { db, accountId, isThere: async () => (await findJob(db, { id, accountId })) !== undefined };
}

test("contents are kept for ever unless a retention is set", async () => {
  const { db, isThere } = await openWithOldJob();
  expect(await eraseOldContents({ db, retentionDays: 0, limits: { idempotencyHours: 24 } }, signal)).toBe(0);
  expect(await isThere()).toBe(true);
});

test("an answer is kept as long as its idempotency key, and erased after that", async () => {
  const { db, isThere } = await openWithOldJob();
  expect(await eraseOldContents({ db, retentionDays: 1, limits: { idempotencyHours: 48 } }, signal)).toBe(0);
  expect(await isThere()).toBe(true);
  expect(await eraseOldContents({ db, retentionDays: 1, limits: { idempotencyHours: 24 } }, signal)).toBe(1);
  expect(await isThere()).toBe(false);
});

test("an account's own retention erases its contents, even if the installation keeps them longer", async () => {
  const { db, accountId, isThere } = await openWithOldJob();
  await setRetention(db, accountId, 7);
  expect(await eraseOldContents({ db, retentionDays: 0, limits: { idempotencyHours: 48 } }, signal)).toBe(0);
  expect(await isThere()).toBe(true);
  await setRetention(db, accountId, 1);
  await db.execute(sql`update jobs set created_at = finished_at`);
  expect(await eraseOldContents({ db, retentionDays: 0, limits: { idempotencyHours: 48 } }, signal)).toBe(1);
  expect(await isThere()).toBe(false);
});
