import { Problem } from "@video-to-json/contract";
import { type Db, openDatabase } from "@video-to-json/database";
import { readSettings, SettingsError } from "@video-to-json/runtime/settings";
import { AdminError, type AdminIo } from "./admin-io.ts";

/** Opens the database of DATABASE_URL, runs `work` and closes the database. Throws as `withReportedErrors` does. */
export function withDatabase({ env }: Pick<AdminIo, "env">, work: (db: Db) => Promise<void>): Promise<void> {
  return withReportedErrors(async () => {
    const { DATABASE_URL } = readSettings(env, ["DATABASE_URL"]);
    const database = openDatabase(DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json-admin" });
    try {
      await work(database.db);
    } finally {
      await database.close();
    }
  });
}

/** Runs `work`. Keeps a Problem or AdminError that it throws, and replaces any other error by its `errorReport`. */
export async function withReportedErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Problem || cause instanceof AdminError) throw cause;
    throw new Error(errorReport(cause), { cause });
  }
}

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "CONNECT_TIMEOUT"]);
const unmigrated = "42P01"; // undefined_table
const forbidden = "42501"; // insufficient_privilege

/** Returns an error for the operator: the fault and what to do, without a stack trace. */
export function errorReport(error: unknown): string {
  if (error instanceof Problem || error instanceof SettingsError) return error.message;
  const cause = rootOf(error);
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
  if (unreachable.has(code)) return `Cannot reach the database (${code}). Start it, or correct DATABASE_URL.`;
  if (code === unmigrated) return "The database has no tables yet. Run `video-to-json-admin migrate` first.";
  const message = cause instanceof Error ? cause.message : String(cause);
  if (code === forbidden)
    return `${message}. Name the owner of the database in DATABASE_URL or OWNER_DATABASE_URL, and run \`video-to-json-admin migrate\`.`;
  return `${message || code || "The command failed without a message"}. Check DATABASE_URL and try again.`;
}

/** Returns the driver's error. The query layer wraps it with the query's parameters, which must not be printed. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
