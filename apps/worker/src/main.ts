import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import {
  checksThread,
  openProviders,
  openShiftMemory,
  openTranscription,
  type ProviderObserver,
} from "@video-to-json/analysis";
import type { Limits } from "@video-to-json/contract";
import { hasOtherWorker, openDatabase, warnOfLossySettings } from "@video-to-json/database";
import {
  canReadScreenText,
  describeGaps,
  findConfinement,
  findProgramFaults,
  gapsOf,
  openStarter,
  openTextReader,
  provePrograms,
} from "@video-to-json/media";
import {
  openJobQueue,
  openPermits,
  openProviderUsage,
  openQueueTelemetry,
  redisAddress,
  startWorker,
} from "@video-to-json/queue";
import { exitOnSettingsError } from "@video-to-json/runtime/settings";
import {
  addressOf,
  diskDependency,
  onShutdown,
  openLog,
  openTracing,
  openWorkerMetrics,
  postgresDependency,
  redisDependency,
  startOperatorListener,
  statusLabel,
  storageDependency,
  type Tracing,
  type WorkerMetrics,
  watchStalls,
} from "@video-to-json/runtime/telemetry";
import { openFairPlaces, openKindPlaces, unrefDelay } from "@video-to-json/runtime/timing";
import { openSchemaSandbox } from "@video-to-json/schema";
import { openStorage } from "@video-to-json/storage";
import { createClaims, openDatabaseGate } from "./claim-jobs.ts";
import { readConfig } from "./config.ts";
import { startFetches } from "./fetch-videos.ts";
import { openHealth } from "./health.ts";
import { startMaintenance } from "./maintenance/start-maintenance.ts";
import { observeProgress, traceJob } from "./observe/observe-job.ts";
import { checkScratch } from "./pipeline/scratch.ts";
import { runJob } from "./run-job.ts";

/** How long after the grace period a maintenance task may continue, in milliseconds. */
const maxTaskMs = 4000;

/** Where another provider takes over, jobs do not wait long for the first one. */
const shortPauseMs = 5_000;

/** Fetching a `video_url` may take half of the time limit of a job. The worker gives up a server that sends more slowly. */
const fetchLimits = { totalMs: 240_000, minBytesPerSecond: 32 * 1024 };

const metrics = openWorkerMetrics();
const confinement = {
  ...(await findConfinement({ programDirectory: process.env.FFMPEG_DIRECTORY })),
  start: process.platform === "linux" ? openStarter() : undefined,
  onKilled: () => metrics.sandboxKills.inc({ sandbox: "ffmpeg" }),
};
const programFaults = await findProgramFaults(confinement);
for (const fault of programFaults) process.stderr.write(`${fault}\n`);
const config = exitOnSettingsError(() => readConfig(process.env));
const gaps = gapsOf(confinement);
const isTooOpen = config.REQUIRE_CONFINEMENT === "on" && gaps.length > 0;
if (isTooOpen) process.stderr.write(describeGaps(confinement));
if (isTooOpen || programFaults.length > 0) process.exit(1);
const tracing = await openTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: "video-to-json-worker" });
const log = openLog({ ...metrics, fields: tracing.logFields }, { level: config.LOG_LEVEL, name: "worker" });
const database = openDatabase(config.DATABASE_URL, {
  maxConnections: config.DATABASE_CONNECTIONS,
  applicationName: "video-to-json worker",
  onReplaced: (count) => metrics.databaseConnectionsReplaced.inc(count),
});
void warnOfLossySettings(database.db, log);
const redis = {
  ...redisAddress(config.REDIS_URL),
  telemetry: tracing.isOn ? await openQueueTelemetry() : undefined,
  onError: (error: Error) =>
    log.warn({ dependency: "redis", address: addressOf(config.REDIS_URL), err: error }, "redis"),
};
const queue = openJobQueue(redis);
const permits = openPermits({ ...redis, limit: config.GLOBAL_CONCURRENCY });
const usage = openProviderUsage({
  ...redis,
  dollarsPerDay: config.PROVIDER_DOLLARS_PER_DAY,
  dollarsPerAccountAndDay: config.ACCOUNT_DOLLARS_PER_DAY,
  limits: config.GEMINI_LIMITS,
});
const storage = await openStorage(config.STORAGE_URL, {
  maxBytes: Math.max(config.limits.maxUploadBytes, config.limits.maxFileBytes),
});
const { provider, fallback } = openProviders(config, {
  onRateLimited: (delayMs) => {
    const longest = config.PROVIDER_FALLBACK ? shortPauseMs : longestPauseMs(config.limits);
    const pauseMs = Math.min(delayMs, longest);
    void permits.pauseFor(pauseMs).catch((error) => log.warn({ err: error }, "permits not paused"));
  },
  log,
  observer: observeProvider(metrics, tracing, () => health.doubt()),
  spending: usage.spending,
  limits: usage.limits,
});
const { TRANSCRIPTION_URL, TRANSCRIPTION_KEY, TRANSCRIPTION_MODEL } = config;
const transcription = TRANSCRIPTION_URL
  ? openTranscription({
      ...{ url: TRANSCRIPTION_URL, apiKey: TRANSCRIPTION_KEY, model: TRANSCRIPTION_MODEL, log },
      proxy: { url: config.HTTPS_PROXY, except: config.NO_PROXY },
      onEnd: (outcome) => metrics.transcriptions.inc({ outcome }),
    })
  : undefined;
const openSandbox = ({ capabilities: { schemaDialect } }: typeof provider) =>
  openSchemaSandbox({
    limits: config.limits,
    threads: 2,
    // Longer than the API's time limit, so that every schema that the API accepted compiles here too.
    timeoutMs: 4000,
    schemaDialect,
    thread: checksThread,
    onKilled: () => metrics.sandboxKills.inc({ sandbox: "schema" }),
  });
const sandbox = openSandbox(provider);
const second = fallback && { provider: fallback, sandbox: openSandbox(fallback) };
const scratch = {
  address: config.SCRATCH_DIR,
  directory: config.SCRATCH_DIR,
  ready: () => checkScratch({ scratchDir: config.SCRATCH_DIR }),
};
const health = openHealth(
  { metrics, log, provePrograms: (signal) => provePrograms({ confinement, directory: config.SCRATCH_DIR, signal }) },
  [
    postgresDependency(metrics, config.DATABASE_URL, () => database.inspect()),
    redisDependency(metrics, config.REDIS_URL, () => queue.inspect()),
    storageDependency(metrics, config.STORAGE_URL, () => storage.ready()),
    diskDependency(metrics, { name: "scratch", ...scratch }),
    {
      ...{ name: "provider", address: addressOf(provider.address), isRequired: true },
      ...{ everyMs: 5000, patienceMs: 5000 },
      check: () => provider.reach(),
    },
    {
      ...{ name: "provider_access", address: addressOf(provider.address), isRequired: false, everyMs: 5000 },
      check: () => provider.access(),
    },
  ],
);
const textReader = openTextReader();
const deps = {
  database,
  db: database.db,
  queue,
  permits: health.guard(permits),
  accounts: usage.accounts,
  health,
  processor: openKindPlaces(availableParallelism()),
  workerId: randomUUID(),
  places: config.WORKER_CONCURRENCY,
  storage,
  sandbox,
  provider,
  fallback: second,
  transcription,
  confinement,
  metrics,
  tracing,
  log,
  limits: config.limits,
  checks: {
    secondLook: config.SECOND_LOOK,
    completesLists: config.COMPLETE_LISTS === "on",
    shiftsOf: openShiftMemory(),
    hardText: { reader: textReader, places: openFairPlaces(1) },
  },
  scratchDir: config.SCRATCH_DIR,
  orphanUploadSeconds: config.ORPHAN_UPLOAD_SECONDS,
  retentionDays: config.JOB_RETENTION_DAYS,
  fetching: {
    allowHosts: config.FETCH_ALLOW_HOSTS,
    ...fetchLimits,
  },
};
const claim = createClaims(deps);
const databaseFits = openDatabaseGate(database);
const fetches = startFetches(deps, databaseFits);
const worker = startWorker({
  ...redis,
  onStalled: () => metrics.stalledJobs.inc(),
  async run(ticket, context) {
    const stopping = AbortSignal.any([context.stopping, health.taking()]);
    await databaseFits(stopping);
    // The ticket may be that of a job to fetch, whichever job it starts.
    fetches.look();
    const job = await claim(ticket, stopping);
    if (job) await traceJob(deps, job, observeProgress(deps, job, context), (run) => runJob(deps, job, run));
    return job?.id;
  },
});
const maintenance = startMaintenance(deps);
health.control({
  worker,
  places: config.WORKER_CONCURRENCY,
  tell: maintenance.recordPlaces,
  hasOther: () => hasOtherWorker(database.db, deps.workerId),
});
metrics.onScrape(() => {
  const used = worker.running();
  metrics.places.set({ state: "used" }, used);
  metrics.places.set({ state: "free" }, Math.max(0, config.WORKER_CONCURRENCY - used));
  metrics.permits.set(permits.held());
  metrics.providerSpending.set(usage.spending.share());
  for (const [reason, value] of Object.entries(queue.redisFaults())) metrics.redisMisconfigured.set({ reason }, value);
  for (const [state, count] of Object.entries(database.connections()))
    metrics.databaseConnections.set({ state }, count);
});
watchStalls(metrics);
const operator = await startOperatorListener(
  { metrics, dependencies: health, alive: () => worker.isConsuming() },
  { host: config.METRICS_PORT === 0 ? "127.0.0.1" : config.HOST, port: config.METRICS_PORT },
);
if (gaps.length > 0) log.warn({ gaps, reasons: confinement.failures }, "ffmpeg is not fully confined");
if (!canReadScreenText())
  log.warn("tesseract is missing: quotes of text on the screen are checked in Latin and Chinese letters only");
log.info({ operator: operator.url }, "worker started");
if (config.PROVIDER_CHECK === "on") void provider.check(config.SCRATCH_DIR);

const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1000;
// A task may wait for a database that does not answer. Another worker then runs the task.
const closeMaintenance = () => Promise.race([maintenance.close(), unrefDelay(graceMs + maxTaskMs)]);
onShutdown(log, [
  { name: "readiness", close: () => operator.drain() },
  {
    name: "jobs and maintenance",
    close: () => Promise.all([worker.close(graceMs), fetches.close(graceMs), closeMaintenance()]),
  },
  { name: "watches", close: () => health.close() },
  { name: "permits", close: () => Promise.all([permits.close(), usage.close()]) },
  { name: "provider", close: () => Promise.all([provider.close(), transcription?.close()]) },
  { name: "queue", close: () => queue.close() },
  { name: "sandbox", close: () => Promise.all([sandbox.close(), second?.sandbox.close(), textReader.close()]) },
  { name: "database", close: () => database.close() },
  { name: "traces", close: () => tracing.close() },
  { name: "operator", close: () => operator.close() },
]);

const maxPauseMs = 60_000;

/**
 * Returns for how long one 429 of the provider may keep all jobs away from it, in milliseconds. After that, the next
 * job tries again. The pause that the provider asks for could outlast every waiting job, although it may concern one
 * model or one job only.
 */
function longestPauseMs({ jobTimeoutSeconds }: Pick<Limits, "jobTimeoutSeconds">): number {
  return Math.min(maxPauseMs, (jobTimeoutSeconds * 1000) / 8);
}

type Metrics = Pick<
  WorkerMetrics,
  | "providerRequests"
  | "providerSeconds"
  | "providerRetries"
  | "providerFreeTier"
  | "providerFiles"
  | "modelFallbacks"
  | "soundMissing"
  | "modelTokens"
  | "modelCost"
>;

/** Returns the counters of requests to the provider, retries, tokens, and the price of the tokens; requests are spans too. */
function observeProvider(metrics: Metrics, tracing: Pick<Tracing, "past">, onSilence: () => void): ProviderObserver {
  return {
    onRequest(request, status, ms) {
      metrics.providerRequests.inc({ request, status: statusLabel(status) });
      metrics.providerSeconds.observe({ request }, ms / 1000);
      const failure = status === null || status >= 400 ? statusLabel(status) : undefined;
      tracing.past(`provider ${request}`, ms, { "http.response.status_code": status ?? undefined }, failure);
    },
    onFiles: (bytes) => metrics.providerFiles.set(bytes),
    onFallback: (model) => metrics.modelFallbacks.inc({ model }),
    onSoundMissing: () => metrics.soundMissing.inc(),
    onFreeTier: () => metrics.providerFreeTier.set(1),
    onRetry(status) {
      metrics.providerRetries.inc({ status: statusLabel(status) });
      if (status === null) onSilence();
    },
    onTokens(model, tokens, { dollars, check = "answer" }) {
      for (const [kind, count] of Object.entries(tokens)) metrics.modelTokens.inc({ model, kind }, count);
      metrics.modelCost.inc({ model, purpose: check }, dollars);
    },
  };
}
