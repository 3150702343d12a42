import {
  limitSettings,
  limitsOf,
  providerSettings,
  readSettings,
  SettingsError,
} from "@video-to-json/runtime/settings";

/** Returns the validated settings of a worker, frozen. Throws a SettingsError that lists every wrong setting. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(env, [
    "HOST",
    "METRICS_PORT",
    "LOG_LEVEL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "REDIS_URL",
    "STORAGE_URL",
    "SCRATCH_DIR",
    "FFMPEG_DIRECTORY",
    "REQUIRE_CONFINEMENT",
    "WORKER_CONCURRENCY",
    "SECOND_LOOK",
    "COMPLETE_LISTS",
    "GLOBAL_CONCURRENCY",
    "SHUTDOWN_GRACE_SECONDS",
    "FETCH_ALLOW_HOSTS",
    "ORPHAN_UPLOAD_SECONDS",
    "JOB_RETENTION_DAYS",
    ...providerSettings,
    ...limitSettings,
  ]);
  if (settings.PROVIDER_FALLBACK === settings.PROVIDER)
    throw new SettingsError(["  PROVIDER_FALLBACK: names PROVIDER itself. Name another provider, or none."]);
  // A server on one card answers few questions at once.
  const { PROVIDER, GLOBAL_CONCURRENCY = PROVIDER === "chat" ? 2 : 50 } = settings;
  return Object.freeze({ ...settings, GLOBAL_CONCURRENCY, limits: limitsOf(settings) });
}
