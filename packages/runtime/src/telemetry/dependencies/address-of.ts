import { fileURLToPath } from "node:url";

const defaultPorts: Readonly<Record<string, string>> = {
  "postgres:": "5432",
  "postgresql:": "5432",
  "redis:": "6379",
  "rediss:": "6379",
  "http:": "80",
  "https:": "443",
};

/**
 * Returns the address of a server for people, without user, password and query: `host:port`, or the path of a `file:`
 * URL.
 *
 * @example addressOf("postgres://user:password@db.internal/video"); // "db.internal:5432"
 */
export function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return "unknown";
  if (parsed.protocol === "file:") return fileURLToPath(parsed);
  const port = parsed.port || defaultPorts[parsed.protocol];
  return port ? `${parsed.hostname}:${port}` : `${parsed.protocol}//${parsed.host}`;
}
