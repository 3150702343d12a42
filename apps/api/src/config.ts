import { limitSettings, limitsOf, readSettings } from "@video-to-json/runtime/settings";

/** Reads the API's settings from its environment. Throws a SettingsError that lists every bad value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(env, [
    "HOST",
    "PORT",
    "PUBLIC_URL",
    "METRICS_PORT",
    "LOG_LEVEL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "TRUST_PROXIES",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "REDIS_URL",
    "STORAGE_URL",
    "API_KEY_PREFIX",
    "DASHBOARD",
    "SMTP_URL",
    "SESSION_SECRET",
    "FREE_GRANTS_PER_DAY",
    "FREE_GRANTS_PER_DOMAIN",
    "FREE_GRANTS_PER_NETWORK",
    "FETCH_ALLOW_HOSTS",
    "RESTORED_TO",
    "DRAIN_SECONDS",
    ...limitSettings,
  ]);
  return Object.freeze({ ...settings, limits: limitsOf(settings) });
}
