import { grantServicePrivileges, migrateDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { tellingFailures } from "./with-database.ts";

/**
 * `admin migrate`: brings the database up to this version; does nothing to one that is. Where the owner of the tables is
 * named, the user of the processes gets what it needs.
 */
export function migrateCommand({ env, print }: AdminIo): Command {
  return new Command("migrate").description("Create or update the tables.").action(() =>
    tellingFailures(async () => {
      const { DATABASE_URL, OWNER_DATABASE_URL } = readSettings(env, ["DATABASE_URL", "OWNER_DATABASE_URL"]);
      await migrateDatabase(OWNER_DATABASE_URL ?? DATABASE_URL);
      if (OWNER_DATABASE_URL !== undefined) await grantServicePrivileges(OWNER_DATABASE_URL, DATABASE_URL);
      print("The database is up to date.");
    }),
  );
}
