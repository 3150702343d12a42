import { type Db, openDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import type { Surroundings } from "../surroundings.ts";

/** Does one command's work on the database that DATABASE_URL names, and closes it. */
export async function withDatabase({ env }: Pick<Surroundings, "env">, work: (db: Db) => Promise<void>): Promise<void> {
  const { DATABASE_URL } = readSettings(env, ["DATABASE_URL"]);
  const database = openDatabase(DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json admin" });
  try {
    await work(database.db);
  } finally {
    await database.close();
  }
}
