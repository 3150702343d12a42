import { Problem } from "@video-to-json/contract";
import { SettingsError } from "@video-to-json/settings";

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "CONNECT_TIMEOUT"]);
const unmigrated = "42P01"; // undefined_table

/** What a person is told of a failure: what went wrong and what to do, on one or a few lines, no stack. */
export function tellError(error: unknown): string {
  if (error instanceof Problem || error instanceof SettingsError) return error.message;
  const cause = rootOf(error);
  const code = codeOf(cause);
  if (unreachable.has(code)) return `Cannot reach the database (${code}). Start it, or correct DATABASE_URL.`;
  if (code === unmigrated) return "The database has no tables yet. Run `video-to-json admin migrate` first.";
  const message = cause instanceof Error ? cause.message : String(cause);
  return `${message || code || "It failed without saying why"}. Check DATABASE_URL and try again.`;
}

/** The driver's own error: the query layer wraps it together with the query's parameters, which are nobody's business. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
