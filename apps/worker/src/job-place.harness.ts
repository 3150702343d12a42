import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { type AnalysisProvider, openShiftMemory } from "@video-to-json/analysis";
import { type Clip, type Detail, defaultLimits, type Limits, type SecondLook } from "@video-to-json/contract";
import { claimJob, findJob, insertJob, openDatabase } from "@video-to-json/database";
import { balance, grant, listCosts, openAccount } from "@video-to-json/database/money";
import { type Confinement, findConfinement, openTextReader, provePrograms } from "@video-to-json/media";
import { openPermits } from "@video-to-json/queue";
import { noTracing, openLog, openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { openFairPlaces, openKindPlaces } from "@video-to-json/runtime/timing";
import { openStorage } from "@video-to-json/storage";
import { createTestDatabase, ffmpegDirectory, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished } from "vitest";
import { openHealth } from "./health.ts";
import { type JobDeps, type Run, runJob } from "./run-job.ts";
import { sharedSandbox } from "./shared-sandbox.harness.ts";

type Asked = { schemaText?: string; clip?: Clip; detail?: Detail; secondLook?: SecondLook; wantsEvidence?: boolean };

/** The balance of the account, in seconds. */
const freeSeconds = 600;

// Each trial starts ffmpeg and ffprobe.
const usual = await findConfinement({ programDirectory: ffmpegDirectory });

/** Opens what a worker needs, on a real database and a new directory, and closes it after the test. */
export async function openJobPlace(
  provider: AnalysisProvider,
  limits: Partial<Limits> = {},
  confinement: Confinement = usual,
) {
  const directory = await mkdtemp(join(tmpdir(), "v2j-run-job-"));
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 4, applicationName: "test run-job" });
  const { db } = database;
  const sandbox = sharedSandbox(provider.capabilities.schemaDialect);
  const { url: redisUrl, prefix } = testRedis();
  const permits = openPermits({ redisUrl, prefix, onError: () => {}, limit: 1 });
  const storage = await openStorage(pathToFileURL(join(directory, "storage")).href);
  onTestFinished(async () => {
    await Promise.all([permits.close(), database.close()]);
    await drop();
    await rm(directory, { recursive: true, force: true });
  });
  const { account } = await openAccount(db, { email: "run-job@example.com", freeSeconds });
  const metrics = openWorkerMetrics();
  const log = openLog(metrics, { level: "silent", name: "test" });
  const health = openHealth(
    {
      metrics,
      log,
      provePrograms: (signal) => provePrograms({ confinement, directory: join(directory, "scratch"), signal }),
    },
    [],
  );
  const worker = { pause: () => {}, resume: () => {} };
  health.control({ worker, places: 1, tell: async () => {}, hasOther: async () => false });
  onTestFinished(() => health.close());
  await expect.poll(() => health.isTaking()).toBe(true);
  const deps: JobDeps = {
    db,
    storage,
    sandbox,
    provider,
    ...{ fallback: undefined, transcription: undefined },
    limits: { ...defaultLimits, ...limits },
    processor: openKindPlaces(2),
    permits,
    accounts: { add: () => {}, isOver: () => false },
    checks: {
      ...{ secondLook: "off", completesLists: false, shiftsOf: openShiftMemory() },
      hardText: { reader: openTextReader(), places: openFairPlaces(1) },
    },
    scratchDir: join(directory, "scratch"),
    confinement,
    metrics,
    tracing: noTracing,
    health,
    log,
  };
  return {
    deps,
    db,
    storage,
    directory,
    accountId: account.id,
    runJob: async (id: string, run: Partial<Run> = {}) => {
      const job = await claimJob(db, id);
      if (job) await runJob(deps, job, { signal: new AbortController().signal, progress: () => {}, ...run });
    },
    claimJob: (id: string, claim?: string) => claimJob(db, id, claim),
    findJob: (id: string) => findJob(db, { id, accountId: account.id }),
    /** Returns the seconds that the ledger has subtracted from the account. */
    debitedSeconds: async () => freeSeconds - (await balance(db, account.id)),
    uploads: () => readdir(join(directory, "storage")),
    pay: () => grant(db, { accountId: account.id, seconds: 60, reference: `invoice ${account.id}` }),
    /** The tokens that the account's jobs have cost. */
    processorSeconds: async () => (await listCosts(db, 1))[0]?.processorSeconds ?? 0,
    tokens: async () => (await listCosts(db, 1))[0]?.tokens ?? 0,
    /** Stores the video as an upload and inserts its job. Returns the job's id. */
    newJob: async (video: string, asked: Asked = {}) => {
      const id = randomUUID();
      await storage.put(id, Readable.from([await readFile(video)]), { maxBytes: 10_000_000 });
      const source = { videoUrl: null, hasUpload: true };
      const job = {
        id,
        accountId: account.id,
        schemaText: '{"colour":"red|blue"}',
        instructions: null,
        ...source,
        ...asked,
      };
      await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds: 600 }));
      return id;
    },
  };
}
