import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { createGeminiProvider } from "@video-to-json/analysis";
import {
  claimJob,
  claimNextJob,
  findJob,
  findJobsToCleanUp,
  insertJob,
  lockAccount,
  openDatabase,
} from "@video-to-json/database";
import { failAndRelease, openAccount } from "@video-to-json/database/money";
import { openJobQueue } from "@video-to-json/queue";
import { openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { openStorage } from "@video-to-json/storage";
import { createTestDatabase, startEmulator, testRedis } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { cleanUp } from "../pipeline/clean-up.ts";
import { openScratch } from "../pipeline/scratch.ts";
import { deleteFinishedVideos, deleteOrphanScratch, deleteOrphanUploads } from "./delete-videos.ts";
import { deleteExpiredKeys } from "./erase-old-rows.ts";
import { failOverdueJobs, requeueLostJobs } from "./rescue-jobs.ts";

let place: Awaited<ReturnType<typeof openPlace>>;
beforeAll(async () => {
  place = await openPlace();
});
afterAll(() => place.close());

const stop = new AbortController().signal;
const log = { info: () => {}, warn: () => {}, error: () => {} };
const metrics = openWorkerMetrics();
const failure = { code: "internal_error" as const, message: "Retry." };

test("old uploads without an open job are deleted, and no others", async () => {
  const { db, storage } = place;
  const [open, finished, young] = [await place.newJob(), await place.newJob(), randomUUID()];
  await failAndRelease(db, { jobId: finished, error: failure });
  const unknown = randomUUID();
  for (const key of [open, finished, unknown, young]) await storage.put(key, Readable.from(["x"]), { maxBytes: 10 });
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const key of [open, finished, unknown]) await utimes(join(place.directory, "storage", key), longAgo, longAgo);
  await deleteOrphanUploads(place);
  expect((await readdir(join(place.directory, "storage"))).sort()).toEqual([open, young].sort());
});

test("the clock of a worker does not decide which upload is old", async () => {
  const { storage, directory } = place;
  const [young, old] = [randomUUID(), randomUUID()];
  for (const key of [young, old]) await storage.put(key, Readable.from(["x"]), { maxBytes: 10 });
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(directory, "storage", old), longAgo, longAgo);
  onTestFinished(() => void vi.useRealTimers());
  for (const skewMs of [7_200_000, -7_200_000]) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + skewMs });
    await deleteOrphanUploads(place);
    vi.useRealTimers();
    const left = await readdir(join(directory, "storage"));
    expect([left.includes(young), left.includes(old)]).toEqual([true, false]);
  }
});

test("an upload that cannot be deleted stops no other", async () => {
  const { db, storage, directory } = place;
  const [stuck, finished] = [await place.newJob(), await place.newJob()];
  const orphans = [randomUUID(), randomUUID()];
  for (const key of [finished, ...orphans]) await storage.put(key, Readable.from(["x"]), { maxBytes: 10 });
  for (const id of [stuck, finished]) await failAndRelease(db, { jobId: id, error: failure });
  await db.execute(sql`update jobs set finished_at = finished_at - interval '2 minutes' where id = ${stuck}`);
  await db.execute(sql`update jobs set finished_at = finished_at - interval '1 minute' where id = ${finished}`);
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const key of orphans) await utimes(join(directory, "storage", key), longAgo, longAgo);
  await mkdir(join(directory, "storage", stuck)); // EISDIR
  const undeletable = new Set<string | undefined>([stuck, orphans[0]]);
  const failing = { ...storage, delete: (key: string) => storage.delete(undeletable.has(key) ? stuck : key) };
  await deleteFinishedVideos({ ...place, storage: failing }, AbortSignal.timeout(30_000));
  await deleteOrphanUploads({ ...place, storage: failing });
  const left = await readdir(join(directory, "storage"));
  expect(left).toContain(stuck);
  expect([finished, orphans[1]].some((key) => left.includes(String(key)))).toBe(false);
  expect(await findJobsToCleanUp(db, { minAgeMs: 15_000, limit: 100 })).toMatchObject([{ id: stuck }]);
  await rm(join(directory, "storage", stuck), { recursive: true });
  await deleteFinishedVideos(place, AbortSignal.timeout(30_000));
  await deleteOrphanUploads(place);
});

test("the scratch of ended claims is deleted, but not that of the current claim", async () => {
  const { db, scratchDir } = place;
  const [running, finished] = [await place.newJob(), await place.newJob()];
  await claimJob(db, running);
  await claimJob(db, running);
  await claimJob(db, finished);
  await failAndRelease(db, { jobId: finished, error: failure });
  const names = [`${running}.1`, `${running}.2`, `${finished}.1`, `${randomUUID()}.1`];
  for (const name of names) await mkdir(join(scratchDir, name, "inner"), { recursive: true });
  await writeFile(join(scratchDir, "not-ours"), "x");
  expect(await deleteOrphanScratch(place, stop)).toBe(3);
  expect((await readdir(scratchDir)).sort()).toEqual([`${running}.2`, "not-ours"].sort());
});

test("a file that the test of a dead worker left in scratch is deleted, but not that of a test that runs", async () => {
  const { scratchDir } = place;
  const [old, oldVideo, fresh] = [`test-${randomUUID()}`, `test-${randomUUID()}.mp4`, `test-${randomUUID()}`];
  const names = [old, oldVideo, fresh, "test-of-somebody"];
  for (const name of names) await writeFile(join(scratchDir, name), "x");
  const longAgo = new Date(Date.now() - 180_000);
  for (const name of [old, oldVideo, "test-of-somebody"]) await utimes(join(scratchDir, name), longAgo, longAgo);
  await deleteOrphanScratch(place, stop);
  const left = await readdir(scratchDir);
  expect(names.map((name) => left.includes(name))).toEqual([false, false, true, true]);
});

test("an unfinished upload to the provider is cancelled with its scratch; a failed cancellation is tried again and delays nothing", async () => {
  const { scratchDir, emulator } = place;
  const folders = [];
  for (const address of [await place.openUpload(), await place.openUpload()]) {
    const folder = join(scratchDir, `${randomUUID()}.1`);
    await mkdir(join(folder, "upload-records"), { recursive: true });
    await writeFile(join(folder, "upload-records", "1"), address);
    await writeFile(join(folder, "video"), "bytes");
    folders.push(folder);
  }
  const [first = "", second = ""] = folders;
  expect((await emulator.state()).openUploads).toBe(2);
  await emulator.setFaults([{ on: "cancel", kind: "status", status: 503, times: 1 }]);
  expect(await deleteOrphanScratch(place, stop)).toBe(1);
  expect((await emulator.state()).openUploads).toBe(1);
  const left = (await readdir(scratchDir)).includes(basename(first)) ? first : second;
  expect(await readdir(left)).toEqual(["upload-records"]);
  expect(await deleteOrphanScratch(place, stop)).toBe(1);
  expect((await emulator.state()).openUploads).toBe(0);
  for (const folder of folders) expect(await readdir(scratchDir)).not.toContain(basename(folder));
});

test("a job that finishes while its upload cannot be cancelled leaves no video, only the record for the next try", async () => {
  const { db, scratchDir, emulator } = place;
  const id = await place.newJob();
  const job = await claimJob(db, id);
  if (!job) throw new Error("there is no such job");
  const scratch = await openScratch(place, job);
  await writeFile(join(scratch, "fetched"), "bytes");
  await writeFile(join(scratch, "upload-records", "1"), await place.openUpload());
  await failAndRelease(db, { jobId: id, error: failure });
  await cleanUp(place, job, true);
  expect(await readdir(scratch)).toEqual(["upload-records"]);
  await deleteOrphanScratch(place, stop);
  expect((await emulator.state()).openUploads).toBe(0);
  expect(await readdir(scratchDir)).not.toContain(basename(scratch));
});

test("the upload of a job that finished under a later claim is deleted although the provider is unavailable", async () => {
  const { db, storage, directory, scratchDir } = place;
  const id = await place.newJob();
  await storage.put(id, Readable.from(["x"]), { maxBytes: 10 });
  await claimJob(db, id);
  const job = await claimJob(db, id);
  if (!job) throw new Error("there is no such job");
  await failAndRelease(db, { jobId: id, error: failure });
  const away = () => Promise.reject(new Error("the provider is unavailable"));
  const provider = { deleteCopies: away, cancelUploads: away };
  await expect(cleanUp({ db, storage, scratchDir, provider }, job, true)).rejects.toThrow("is unavailable");
  expect(await readdir(join(directory, "storage"))).not.toContain(id);
  expect(await findJobsToCleanUp(db, { minAgeMs: 0, limit: 100 })).toContainEqual(expect.objectContaining({ id }));
  await cleanUp(place, job, true);
});

test("each old waiting job gets a ticket, each running job gets its own ticket back first, and a new job gets none", async () => {
  const { db, queue } = place;
  await db.execute(sql`delete from jobs`);
  const [running, waiting] = [await place.newJob(), await place.newJob(), await place.newJob()];
  await place.newJob();
  const ticket = randomUUID();
  expect(await claimNextJob(db, { ticket, workerId: randomUUID(), places: 8 })).toMatchObject({ id: running });
  await db.execute(sql`update jobs set created_at = created_at - interval '1 minute' where id <> ${waiting}`);
  expect(await requeueLostJobs(place)).toBe(3);
  expect(await queue.missing([ticket])).toEqual([]);
  expect(await queue.count()).toBe(3);
  expect(await requeueLostJobs(place)).toBe(0);
  expect(await queue.count()).toBe(3);
});

test("an overdue job fails without charge", async () => {
  const { db, accountId } = place;
  const late = await place.newJob();
  await db.execute(sql`update jobs set deadline_at = now() - interval '1 second' where id = ${late}`);
  expect(await failOverdueJobs({ db, log, metrics })).toBe(1);
  const row = await findJob(db, { id: late, accountId });
  expect([row?.status, JSON.parse(row?.errorText ?? "{}").code]).toEqual(["failed", "too_many_jobs"]);
});

test("a locked account with more overdue jobs than a run handles does not delay other accounts' recovery", async () => {
  const { db, accountId, queue } = place;
  const { account: other } = await openAccount(db, { email: "other@example.com", freeSeconds: 0 });
  const locked = await Promise.all(Array.from({ length: 120 }, () => place.newJob()));
  const [free, lost] = [await place.newJob(other.id), await place.newJob(other.id)];
  await db.execute(sql`update jobs set deadline_at = now() - interval '2 seconds' where account_id = ${accountId}`);
  await db.execute(sql`update jobs set deadline_at = now() - interval '1 second' where id = ${free}`);
  await db.execute(sql`update jobs set created_at = created_at - interval '1 hour' where id = ${lost}`);
  const owner = place.openDatabase();
  await owner.db.transaction(async (tx) => {
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    await lockAccount(tx, accountId);
    const startedAt = performance.now();
    expect(await failOverdueJobs({ db, log, metrics })).toBe(1);
    // Otherwise, the lock time limit of the database, 15 s, would apply to each job.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await requeueLostJobs(place);
  });
  await owner.close();
  expect((await findJob(db, { id: free, accountId: other.id }))?.status).toBe("failed");
  expect(await queue.count()).toBeGreaterThan(0);
  expect(await failOverdueJobs({ db, log, metrics })).toBeGreaterThanOrEqual(100);
  await failOverdueJobs({ db, log, metrics });
  for (const id of locked) expect((await findJob(db, { id, accountId }))?.status).toBe("failed");
});

test("any number of expired idempotency keys is deleted, and no others", async () => {
  const { db, accountId } = place;
  const jobId = await place.newJob();
  await db.execute(sql`
    insert into idempotency_keys (account_id, key, request_hash, job_id, created_at)
    select ${accountId}, n, 'hash', ${jobId}, now() - make_interval(hours => case when n <= 2500 then 2 else 0 end)
    from generate_series(1, 2600) n`);
  expect(await deleteExpiredKeys(db, 1, stop)).toBe(2500);
  const [left] = await db.execute(sql`select count(*)::int as keys from idempotency_keys`);
  expect(left).toEqual({ keys: 100 });
});

test("the leftovers of a finished job in storage and at the provider are deleted, but not those of other jobs", async () => {
  const { db, storage, emulator } = place;
  const [finished, open] = [await place.newJob(), await place.newJob()];
  await storage.put(finished, Readable.from(["x"]), { maxBytes: 10 });
  for (const id of [finished, open, randomUUID()]) await place.leaveCopy(id);
  await failAndRelease(db, { jobId: finished, error: failure });
  await db.execute(sql`update jobs set finished_at = finished_at - interval '1 minute' where id = ${finished}`);
  expect(await deleteFinishedVideos(place, AbortSignal.timeout(30_000))).toBeGreaterThan(0);
  expect((await emulator.state()).files).toBe(2);
  expect(await readdir(join(place.directory, "storage"))).not.toContain(finished);
  expect(await findJobsToCleanUp(db, { minAgeMs: 15_000, limit: 100 })).toEqual([]);
});

test("a worker that stops while it looks for finished jobs does not ask the provider", async () => {
  const deleteCopies = vi.fn(() => new Promise<number>(() => {}));
  const stopped = AbortSignal.abort();
  await expect(deleteFinishedVideos({ ...place, provider: { deleteCopies } }, stopped)).rejects.toBe(stopped.reason);
  expect(deleteCopies).not.toHaveBeenCalled();
});

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), "v2j-tasks-"));
  const scratchDir = join(directory, "scratch");
  await mkdir(scratchDir);
  const [testDatabase, emulator] = await Promise.all([createTestDatabase(), startEmulator()]);
  const database = openDatabase(testDatabase.url, { maxConnections: 4, applicationName: "test tasks" });
  const { url: redisUrl, prefix } = testRedis();
  const queue = openJobQueue({ redisUrl, prefix, onError: () => {} });
  const provider = createGeminiProvider({
    apiKey: "key",
    baseUrl: emulator.url,
    models: { small: ["gemini-3.5-flash-lite"], large: ["gemini-3.8-flash"] },
    log,
  });
  const { db } = database;
  const { account } = await openAccount(db, { email: "tasks@example.com", freeSeconds: 1800 });
  return {
    directory,
    scratchDir,
    log,
    orphanUploadSeconds: 600,
    db,
    emulator,
    queue,
    provider,
    storage: await openStorage(pathToFileURL(join(directory, "storage")).href),
    accountId: account.id,
    /** Another pool, with a server setting for its connections. */
    openDatabase: () => openDatabase(testDatabase.url, { maxConnections: 1, applicationName: "test tasks" }),
    newJob: async (accountId = account.id) => {
      const id = randomUUID();
      const job = { id, accountId, schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true };
      await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds: 600 }));
      return id;
    },
    /** Starts an upload, sends its first bytes and returns its address. */
    openUpload: async () => {
      const started = await fetch(`${emulator.url}/upload/v1beta/files`, {
        method: "POST",
        headers: {
          "x-goog-api-key": "test-key",
          "x-goog-upload-protocol": "resumable",
          "x-goog-upload-command": "start",
          "x-goog-upload-header-content-length": "100000000",
          "x-goog-upload-header-content-type": "video/mp4",
          "content-type": "application/json",
        },
        body: "{}",
      });
      const url = started.headers.get("x-goog-upload-url") ?? "";
      const sent = await fetch(url, {
        method: "POST",
        headers: { "x-goog-upload-command": "upload", "x-goog-upload-offset": "0" },
        body: Buffer.alloc(Number(started.headers.get("x-goog-upload-chunk-granularity"))),
      });
      expect(sent.status).toBe(200);
      return url;
    },
    /** Leaves the provider copy of a worker that died right after its upload. */
    leaveCopy: async (jobId: string) => {
      const started = await fetch(`${emulator.url}/upload/v1beta/files`, {
        method: "POST",
        headers: { "x-goog-api-key": "key", "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start" },
        body: JSON.stringify({ file: { displayName: `video-to-json/${jobId}`, mimeType: "video/mp4" } }),
      });
      const sent = await fetch(started.headers.get("x-goog-upload-url") ?? "", {
        method: "POST",
        headers: { "x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0" },
        body: "bytes",
      });
      if (!sent.ok) throw new Error(await sent.text());
    },
    close: async () => {
      await Promise.all([queue.close(), provider.close(), database.close()]);
      await Promise.all([emulator.stop(), testDatabase.drop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
