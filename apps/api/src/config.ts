import { limitSettings, limitsOf, readSettings } from "@video-to-json/runtime/settings";

/** Reads the API's settings from its environment. Throws a SettingsError that lists every bad value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const settings = readSettings(env, [
    "HOST",
    "PORT",
    "PUBLIC_URL",
    "MCP_ALLOWED_HOSTS",
    "METRICS_HOST",
    "METRICS_PORT",
    "LOG_LEVEL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "TRUST_PROXIES",
    "DATABASE_URL",
    "DATABASE_CONNECTIONS",
    "DATABASE_PATIENCE_SECONDS",
    "REDIS_URL",
    "REDIS_PREFIX",
    "STORAGE_URL",
    "API_KEY_PREFIX",
    "DASHBOARD",
    "DASHBOARD_DIR",
    "SMTP_URL",
    "MAIL_FROM",
    "SESSION_SECRET",
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
