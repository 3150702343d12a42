import { Problem } from "@video-to-json/contract";
import { type Db, openDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import type { AdminIo } from "./admin-io.ts";
import { tellError } from "./tell-error.ts";

/** Does one command's work on the database that DATABASE_URL names, and closes it. Throws what a person can be told. */
export function withDatabase({ env }: Pick<AdminIo, "env">, work: (db: Db) => Promise<void>): Promise<void> {
  return tellingFailures(async () => {
    const { DATABASE_URL } = readSettings(env, ["DATABASE_URL"]);
    const database = openDatabase(DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json admin" });
    try {
      await work(database.db);
    } finally {
      await database.close();
    }
  });
}

/** Does some work; whatever it throws but a Problem becomes an Error whose message can be told (`tellError`). */
export async function tellingFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Error(tellError(cause), { cause });
  }
}
