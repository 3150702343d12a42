import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findAnyJob, insertJob, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { openJobQueue } from "@video-to-json/queue";
import { openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { openStorage, StorageHangs } from "@video-to-json/storage";
import { createTestDatabase, testRedis } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { startMaintenance } from "./start-maintenance.ts";

test("while the provider does not answer, lost jobs are requeued and overdue jobs fail", async () => {
  const { db, queue, providerCalled, start, newJob } = await openPlace();
  start();
  await providerCalled;
  await newJob();
  const overdue = await newJob({ deadlineSeconds: -1 });
  await expect.poll(() => queue.count()).toBeGreaterThan(0);
  await expect.poll(async () => (await findAnyJob(db, overdue))?.status).toBe("failed");
});

test("a process clock that is set back does not stop the maintenance tasks", async () => {
  const { start, newUpload, uploads } = await openPlace();
  await newUpload();
  start();
  await expect.poll(uploads).toEqual([]);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
  await newUpload();
  await expect.poll(uploads).toEqual([]);
});

test("while storage hangs, lost jobs are requeued and overdue jobs fail, and its tasks continue when it answers", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { db, queue, start, newJob, newUpload, uploads, storage } = await openPlace();
  await newUpload();
  const hanging = {
    ...storage,
    now: async () => {
      await answered;
      return storage.now();
    },
  };
  start({ storage: hanging });
  await newJob();
  const overdue = await newJob({ deadlineSeconds: -1 });
  await expect.poll(() => queue.count()).toBeGreaterThan(0);
  await expect.poll(async () => (await findAnyJob(db, overdue))?.status).toBe("failed");
  answer();
  await expect.poll(uploads).toEqual([]);
});

test("a storage that hangs for ever is reported, and every worker can still stop", async () => {
  const { start, storage } = await openPlace();
  const warn = vi.fn();
  const hanging = { ...storage, now: () => new Promise<Date>(() => {}) };
  const maintenance = start({ storage: hanging, maxStorageMs: 50, log: { info: () => {}, warn } });
  const report = [expect.objectContaining({ err: expect.any(StorageHangs) }), expect.any(String)];
  await expect.poll(() => warn.mock.calls).toContainEqual(report);
  await maintenance.close();
});

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), "v2j-maintenance-"));
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 4, applicationName: "test maintenance" });
  const { db } = database;
  const { url: redisUrl, prefix } = testRedis();
  const queue = openJobQueue({ redisUrl, prefix, onError: () => {} });
  onTestFinished(async () => {
    await Promise.all([queue.close(), database.close()]);
    await drop();
    await rm(directory, { recursive: true });
  });
  const storage = await openStorage(pathToFileURL(join(directory, "storage")).href);
  const { account } = await openAccount(db, { email: "maintenance@example.com", freeSeconds: 1800 });
  const { promise: providerCalled, resolve: callProvider } = Promise.withResolvers<void>();
  const provider = {
    /** Never resolves. */
    deleteCopies: (_isOver: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        callProvider();
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    cancelUploads: async () => {},
  };
  return {
    db,
    queue,
    storage,
    providerCalled,
    /** Runs maintenance in short rounds until the test ends. */
    start: (given: Partial<Parameters<typeof startMaintenance>[0]> = {}) => {
      const maintenance = startMaintenance({
        db,
        queue,
        storage,
        provider,
        log: { info: () => {}, warn: () => {} },
        metrics: openWorkerMetrics(),
        limits: { idempotencyHours: 24, jobTimeoutSeconds: 600 },
        scratchDir: join(directory, "scratch"),
        orphanUploadSeconds: 0.02,
        retentionDays: 0,
        workerId: randomUUID(),
        places: 1,
        health: { isTaking: () => true },
        roundMs: 20,
        ...given,
      });
      onTestFinished(() => maintenance.close());
      return maintenance;
    },
    /** A job that the queue has lost, admitted a minute ago. */
    newJob: async ({ deadlineSeconds = 600 } = {}) => {
      const id = randomUUID();
      const job = { id, accountId: account.id, schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true };
      await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds }));
      await db.execute(sql`update jobs set created_at = created_at - interval '1 minute' where id = ${id}`);
      return id;
    },
    /** Yesterday's upload, without a job. It appears in one step, because maintenance runs at the same time. */
    newUpload: async () => {
      const key = randomUUID();
      const file = join(directory, key);
      await writeFile(file, "x");
      const yesterday = new Date(Date.now() - 86_400_000);
      await utimes(file, yesterday, yesterday);
      await mkdir(join(directory, "storage"), { recursive: true });
      await rename(file, join(directory, "storage", key));
    },
    uploads: () => readdir(join(directory, "storage")),
  };
}
