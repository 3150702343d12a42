import { findFinishedJobs, openDatabase, warnOfLossySettings } from "@video-to-json/database";
import { openCompletions, openJobQueue, openQueueTelemetry, openRateLimiter, redisAddress } from "@video-to-json/queue";
import { createGracefulShutdown, startHttpListener } from "@video-to-json/runtime/http";
import { exitOnSettingsError } from "@video-to-json/runtime/settings";
import {
  addressOf,
  onShutdown,
  openApiMetrics,
  openLog,
  openTracing,
  postgresDependency,
  redisDependency,
  startOperatorListener,
  storageDependency,
  watchDependencies,
  watchStalls,
} from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import { openSchemaSandbox } from "@video-to-json/schema";
import { openStorage } from "@video-to-json/storage";
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { startMinuteMails } from "./dashboard/mail/minute-mails.ts";
import { openDashboard } from "./dashboard/open-dashboard.ts";
import { securityHeaders } from "./http/health.ts";
import { watchService } from "./observe/observe-requests.ts";
import { openRefusals } from "./observe/refusals.ts";

/** More connections than callers of a full installation need; a flood beyond them must not fill the memory. */
const maxConnections = 10_000;
/** Time for the headers of a request: enough for a slow phone, too short to hold connections for nothing. */
const headersTimeoutSeconds = 15;
/** How long a request waits for an unavailable database: long enough for a restart of PostgreSQL. */
const databasePatienceMs = 20_000;
/** What an upload may take. The minimum rate, over each idle time, is a fifth of what a phone sends over EDGE. */
const uploads = { totalSeconds: 1800, idleSeconds: 30, minBytesPerSecond: 1024 };

const config = exitOnSettingsError(() => readConfig(process.env));
const metrics = openApiMetrics();
const tracing = await openTracing({ endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT, service: "video-to-json-api" });
const log = openLog({ ...metrics, fields: tracing.logFields }, { level: config.LOG_LEVEL, name: "api" });
const database = openDatabase(config.DATABASE_URL, {
  maxConnections: config.DATABASE_CONNECTIONS,
  applicationName: "video-to-json api",
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
const completions = openCompletions({ ...redis, findFinished: (ids) => findFinishedJobs(database.db, ids) });
const limiter = openRateLimiter({ ...redis, onRefused: (bucket) => metrics.rateLimited.inc({ bucket }) });
const storage = await openStorage(config.STORAGE_URL, { maxBytes: config.limits.maxUploadBytes });
const sandbox = openSchemaSandbox({
  limits: config.limits,
  threads: 2,
  onKilled: () => metrics.sandboxKills.inc({ sandbox: "schema" }),
});
const dashboard =
  config.DASHBOARD === "on"
    ? openDashboard(
        { db: database.db, log, metrics },
        {
          smtpUrl: config.SMTP_URL,
          secret: config.SESSION_SECRET,
          freeSeconds: config.limits.freeSeconds,
          grantsPerDay: {
            service: config.FREE_GRANTS_PER_DAY,
            domain: config.FREE_GRANTS_PER_DOMAIN,
            network: config.FREE_GRANTS_PER_NETWORK,
          },
          publicUrl: config.PUBLIC_URL[0],
        },
      )
    : undefined;
const shutdown = createGracefulShutdown();
metrics.onScrape(() => {
  metrics.openWaits.set(completions.waiting());
  for (const [reason, value] of Object.entries(queue.redisFaults())) metrics.redisMisconfigured.set({ reason }, value);
  for (const [state, count] of Object.entries(database.connections()))
    metrics.databaseConnections.set({ state }, count);
});

const dependencies = watchDependencies({ metrics, log }, [
  postgresDependency(metrics, config.DATABASE_URL, () => database.inspect(), { servesReads: true }),
  redisDependency(metrics, config.REDIS_URL, () => queue.inspect()),
  storageDependency(metrics, config.STORAGE_URL, () => storage.ready()),
]);
const refusals = openRefusals({ db: database.db, log });
const app = createApp({
  refusals,
  db: database.db,
  storage,
  sandbox,
  queue,
  completions,
  limiter,
  metrics,
  log,
  tracing,
  shutdown,
  isReady: async () => (await dependencies.check()).failed.length === 0,
  // An admission is short, so two connections suffice for the busiest account. Neither admissions nor arrivals make a
  // read of another account wait for more than a few queries.
  admissionTurns: openFairPlaces(Math.ceil(0.6 * config.DATABASE_CONNECTIONS), { ofAccount: 2 }),
  arrivalTurns: openFairPlaces(4),
  limits: config.limits,
  keyPrefix: config.API_KEY_PREFIX,
  publicUrl: config.PUBLIC_URL[0],
  restoredTo: config.RESTORED_TO,
  mcpAllowedHosts: config.PUBLIC_URL.map((address) => new URL(address).hostname),
  fetchAllowHosts: config.FETCH_ALLOW_HOSTS,
  uploadIdleSeconds: uploads.idleSeconds,
  uploadMinBytesPerSecond: uploads.minBytesPerSecond,
  trustProxies: config.TRUST_PROXIES,
  databaseRetryMs: databasePatienceMs,
  commentEveryMs: 5000,
  dashboard,
});
const listener = await startHttpListener(app, {
  host: config.HOST,
  port: config.PORT,
  headers: securityHeaders(config.PUBLIC_URL[0]),
  maxConnections: maxConnections,
  headersTimeoutSeconds: headersTimeoutSeconds,
  uploadTimeoutSeconds: uploads.totalSeconds,
});
const service = watchService({ database, metrics });
const minuteMails =
  dashboard &&
  startMinuteMails(
    { db: database.db, log, mailer: dashboard.mailer },
    { ...config.limits, publicUrl: config.PUBLIC_URL[0] },
  );
watchStalls(metrics);
const operator = await startOperatorListener(
  { metrics, dependencies },
  { host: config.METRICS_PORT === 0 ? "127.0.0.1" : config.HOST, port: config.METRICS_PORT },
);
log.info({ port: listener.port, operator: operator.url }, "listening");

const drainMs = config.DRAIN_SECONDS * 1000;
onShutdown(log, [
  { name: "readiness", close: () => operator.drain() },
  { name: "drain", close: () => shutdown.drain(drainMs) },
  { name: "requests", close: () => shutdown.refuseRequests() },
  { name: "http", close: () => listener.close(drainMs) },
  { name: "watches", close: () => Promise.all([dependencies.close(), service.close(), minuteMails?.close()]) },
  { name: "completions", close: () => completions.close() },
  { name: "queue", close: () => queue.close() },
  { name: "limiter", close: () => limiter.close() },
  { name: "sandbox", close: () => sandbox.close() },
  { name: "refusals", close: () => refusals.close() },
  { name: "mail", close: async () => dashboard?.close() },
  { name: "database", close: () => database.close() },
  { name: "traces", close: () => tracing.close() },
  { name: "operator", close: () => operator.close() },
]);
