import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { AnalysisProvider } from "@video-to-json/analysis";
import { defaultLimits } from "@video-to-json/contract";
import { findJob, insertJob, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import { openSchemaSandbox } from "@video-to-json/schema-input";
import { openStorage } from "@video-to-json/storage";
import { openLog, openMetrics } from "@video-to-json/telemetry";
import { createTestDatabase, makeVideo } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { runJob } from "./run-job.ts";

test("an answer is stored and paid for before the copy at the analysis service is deleted, and told of after", async () => {
  const { db, account, deps, newJob, uploads } = await openPlace();
  const id = await newJob();
  const seen: unknown[] = [];
  const look = async () => {
    const row = await findJob(db, { id, accountId: account.id });
    seen.push({ status: row?.status, billed: row?.billedSeconds, cleaned: row?.cleanedAt !== null });
  };
  const service: AnalysisProvider = {
    async withVideo(_video, _run, use) {
      const used = await use(async () => ({ text: '{"colour":"red"}', model: "small" }));
      await look();
      return used;
    },
  };
  const run = { signal: new AbortController().signal, progress: () => {} };
  await runJob(
    { ...deps, service: { ...service, deleteCopies: async () => 0, cancelUploads: async () => {} } },
    id,
    run,
  );
  await look();
  expect(seen).toEqual([
    { status: "succeeded", billed: 60, cleaned: false },
    { status: "succeeded", billed: 60, cleaned: true },
  ]);
  expect(await uploads()).toEqual([]);
});

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), "v2j-run-job-"));
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 4, applicationName: "test run-job" });
  const { db } = database;
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
  const storage = openStorage(pathToFileURL(join(directory, "storage")).href);
  onTestFinished(async () => {
    await Promise.all([sandbox.close(), database.close()]);
    await drop();
    await rm(directory, { recursive: true, force: true });
  });
  const { account } = await openAccount(db, { email: "run-job@example.com", freeSeconds: 600 });
  const path = join(directory, "video.mp4");
  await makeVideo({ scenes: [{ seconds: 1, color: "red" }] }, path);
  const deps = {
    db,
    storage,
    sandbox,
    limits: defaultLimits,
    scratchDir: join(directory, "scratch"),
    fetching: { allowHosts: [], totalMs: 1000, minBytesPerSecond: 1 },
    metrics: openMetrics(),
    log: openLog({ level: "silent", name: "test" }),
  };
  return {
    db,
    account,
    deps,
    uploads: () => readdir(join(directory, "storage")),
    /** A job whose upload is stored. */
    newJob: async () => {
      const id = randomUUID();
      await storage.put(id, Readable.from([await readFile(path)]), { maxBytes: 10_000_000 });
      const video = { videoUrl: null, hasUpload: true };
      const job = { id, accountId: account.id, schemaText: '{"colour":"red|blue"}', instructions: null, ...video };
      await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds: 600 }));
      return id;
    },
  };
}
