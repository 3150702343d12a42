import { limitSettings, limitsOf, readSettings } from "@video-to-json/settings";

/** What the API reads from its environment, validated and frozen; throws a SettingsError that lists every fault. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(env, [
    "HOST",
    "PORT",
    "PUBLIC_URL",
    "MCP_ALLOWED_HOSTS",
    "METRICS_HOST",
    "METRICS_PORT",
    "LOG_LEVEL",
    "TRUST_PROXIES",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "DATABASE_PATIENCE_SECONDS",
    "REDIS_URL",
    "REDIS_PREFIX",
    "STORAGE_URL",
    "API_KEY_PREFIX",
    "GLOBAL_CONCURRENCY",
    "FETCH_ALLOW_HOSTS",
    "UPLOAD_TIMEOUT_SECONDS",
    "UPLOAD_IDLE_SECONDS",
    "UPLOAD_MIN_BYTES_PER_SECOND",
    "HEADERS_TIMEOUT_SECONDS",
    "MAX_CONNECTIONS",
    "DRAIN_SECONDS",
    ...limitSettings,
  ]);
  return Object.freeze({ ...settings, limits: limitsOf(settings) });
}
