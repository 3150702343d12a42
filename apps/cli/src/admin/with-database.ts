import { Problem } from "@video-to-json/contract";
import { type Db, openDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/runtime/settings";
import { CommandError } from "../exit/command-error.ts";
import type { AdminIo } from "./admin-io.ts";
import { errorReport } from "./report-error.ts";

/** Opens the database of DATABASE_URL, runs `work` and closes the database. Throws as `withReportedErrors` does. */
export function withDatabase({ env }: Pick<AdminIo, "env">, work: (db: Db) => Promise<void>): Promise<void> {
  return withReportedErrors(async () => {
    const { DATABASE_URL } = readSettings(env, ["DATABASE_URL"]);
    const database = openDatabase(DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json admin" });
    try {
      await work(database.db);
    } finally {
      await database.close();
    }
  });
}

/** Runs `work`. Keeps a Problem or CommandError that it throws, and replaces any other error by its `errorReport`. */
export async function withReportedErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof Problem || cause instanceof CommandError) throw cause;
    throw new Error(errorReport(cause), { cause });
  }
}
