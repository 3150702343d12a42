import { Problem } from "@video-to-json/contract";
import { SettingsError } from "@video-to-json/runtime/settings";

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "CONNECT_TIMEOUT"]);
const unmigrated = "42P01"; // undefined_table

/** Returns an error for the operator: the fault and what to do, without a stack trace. */
export function errorReport(error: unknown): string {
  if (error instanceof Problem || error instanceof SettingsError) return error.message;
  const cause = rootOf(error);
  const code = codeOf(cause);
  if (unreachable.has(code)) return `Cannot reach the database (${code}). Start it, or correct DATABASE_URL.`;
  if (code === unmigrated) return "The database has no tables yet. Run `video-to-json admin migrate` first.";
  const message = cause instanceof Error ? cause.message : String(cause);
  return `${message || code || "The command failed without a message"}. Check DATABASE_URL and try again.`;
}

/** Returns the driver's error. The query layer wraps it with the query's parameters, which must not be printed. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
