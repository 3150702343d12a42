import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createApiKey, defaultLimits, type Limits } from "@video-to-json/contract";
import { type Db, findFinishedJobs, insertKey, type KeyLimits, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { openCompletions, openJobQueue, openRateLimiter } from "@video-to-json/queue";
import { createGracefulShutdown, startHttpListener } from "@video-to-json/runtime/http";
import { type ApiMetrics, type Logger, noTracing, openApiMetrics, openLog } from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import { openSchemaSandbox, type SchemaSandbox } from "@video-to-json/schema";
import { openStorage } from "@video-to-json/storage";
import { createTestDatabase, type Exchange, readContract, recordExchanges, testRedis } from "@video-to-json/testing";
import { createApp } from "./app.ts";
import type { DashboardParts } from "./dashboard/dashboard.ts";
import { securityHeaders } from "./http/health.ts";
import { openRefusals } from "./observe/refusals.ts";

// The tests of a vitest worker share the sandboxes. Starting a thread takes a quarter of a second of CPU time. An idle
// thread does not keep the process alive.
const sandboxes = new Map<string, SchemaSandbox>();

function sharedSandbox(limits: Limits): SchemaSandbox {
  const key = JSON.stringify(limits);
  const sandbox = sandboxes.get(key) ?? openSchemaSandbox({ limits, threads: 1 });
  sandboxes.set(key, sandbox);
  return sandbox;
}

/** Starts an API without a worker. Its disposal throws if a response does not match the interface description. */
export async function startTestApi(
  limits: Partial<Limits> = {},
  uploadIdleSeconds = 30,
  trustProxies = 0,
  {
    databaseUrl,
    databaseRetryMs = 20_000,
    commentEveryMs = 5000,
    maxConnections = 200,
    dashboard,
    publicUrl,
    restoredTo,
    log: givenLog,
  }: {
    databaseUrl?: string;
    databaseRetryMs?: number;
    commentEveryMs?: number;
    maxConnections?: number;
    dashboard?: (deps: { db: Db; log: Logger; metrics: ApiMetrics }) => DashboardParts;
    publicUrl?: string | undefined;
    restoredTo?: string;
    log?: Logger;
  } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), "v2j-api-"));
  const testDatabase = databaseUrl ? { url: databaseUrl, drop: async () => {} } : await createTestDatabase();
  const database = openDatabase(testDatabase.url, { maxConnections: 10, applicationName: "test api" });
  const { db } = database;
  const { url: redisUrl, prefix } = testRedis();
  const redis = { redisUrl, prefix, onError: () => {} };
  const queue = openJobQueue(redis);
  const completions = openCompletions({ ...redis, findFinished: (ids) => findFinishedJobs(db, ids) });
  const limiter = openRateLimiter({ ...redis, maxAnswerMs: 60_000 });
  const allLimits = { ...defaultLimits, ...limits };
  const sandbox = sharedSandbox(allLimits);
  const shutdown = createGracefulShutdown();
  const metrics = openApiMetrics();
  const log = givenLog ?? openLog(metrics, { level: "silent", name: "test" });
  const refusals = openRefusals({ db, log });
  const app = createApp({
    refusals,
    db,
    storage: await openStorage(pathToFileURL(directory).href),
    sandbox,
    queue,
    completions,
    limiter,
    metrics,
    log,
    tracing: noTracing,
    shutdown,
    isReady: () => Promise.resolve(true),
    arrivalTurns: openFairPlaces(4),
    admissionTurns: openFairPlaces(6, { ofAccount: 2 }),
    limits: allLimits,
    keyPrefix: "v2j",
    publicUrl,
    restoredTo,
    mcpAllowedHosts: [],
    fetchAllowHosts: ["127.0.0.1:1"],
    uploadIdleSeconds,
    uploadMinBytesPerSecond: 1024,
    trustProxies,
    databaseRetryMs,
    commentEveryMs,
    dashboard: dashboard?.({ db, log, metrics }),
  });
  const exchanges: Exchange[] = [];
  const recorded = recordExchanges(app, (exchange) => {
    // The routes of the dashboard are not part of the description.
    if (!/^\/(dashboard\b.*)?$/.test(exchange.path)) exchanges.push(exchange);
  });
  const listener = await startHttpListener(recorded, {
    host: "127.0.0.1",
    port: 0,
    headers: securityHeaders(undefined),
    maxConnections,
    headersTimeoutSeconds: 15,
    uploadTimeoutSeconds: 60,
  });
  const url = `http://127.0.0.1:${listener.port}`;
  const contract = await readContract(url);

  const newCaller = async (email: string, freeSeconds = 1800, limits: KeyLimits = {}) => {
    const { account } = await openAccount(db, { email, freeSeconds });
    const { key, sha256, display } = createApiKey("v2j");
    const { id: keyId } = await insertKey(db, { accountId: account.id, name: "test", sha256, display, ...limits });
    return { accountId: account.id, keyId, key, headers: { authorization: `Bearer ${key}` } };
  };

  return {
    url,
    port: listener.port,
    db,
    directory,
    queue,
    redis,
    shutdown,
    listener,
    newCaller,
    metrics,
    refusals,
    /** The names of the uploads in storage. */
    stored: () => readdir(directory),
    /** The number of requests that wait for a job. */
    openWaits: () => completions.waiting(),
    async [Symbol.asyncDispose]() {
      await refusals.close();
      await completions.close();
      await listener.close(0);
      await Promise.all([queue.close(), limiter.close()]);
      await database.close();
      await testDatabase.drop();
      await rm(directory, { recursive: true, force: true });
      const faults = new Set(exchanges.flatMap((exchange) => contract.faultsOf(exchange)));
      if (faults.size > 0) throw new Error(`Not as the interface description says:\n${[...faults].join("\n")}`);
    },
  };
}

/** Returns the status, the headers and the Error body of a response. */
export async function failure(answer: Promise<Response> | Response): Promise<Failure> {
  const response = await answer;
  const body = (await response.json()) as Pick<Failure, "error">;
  return { status: response.status, code: body.error.code, headers: response.headers, error: body.error };
}

type Failure = {
  status: number;
  code: string;
  headers: { get(name: string): string | null };
  error: { code: string; message: string; details?: string[] };
};
