import { migrateDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import { Command } from "commander";
import type { AdminSurroundings } from "./admin-surroundings.ts";
import { tellingFailures } from "./with-database.ts";

/** `admin migrate`: brings the database up to this version; does nothing to one that is. */
export function migrateCommand({ env, print }: AdminSurroundings): Command {
  return new Command("migrate").description("Create or update the tables.").action(() =>
    tellingFailures(async () => {
      await migrateDatabase(readSettings(env, ["DATABASE_URL"]).DATABASE_URL);
      print("The database is up to date.");
    }),
  );
}
