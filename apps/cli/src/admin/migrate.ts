import { grantServicePrivileges, migrateDatabase } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { withReportedErrors } from "./with-database.ts";

/**
 * Returns `admin migrate`: migrates the database to this version. If OWNER_DATABASE_URL is set, it migrates as that user
 * and grants the user of DATABASE_URL the privileges that the processes need.
 */
export function migrateCommand({ env, print }: AdminIo): Command {
  return new Command("migrate").description("Create or update the tables of the database.").action(() =>
    withReportedErrors(async () => {
      const { DATABASE_URL, OWNER_DATABASE_URL } = readSettings(env, ["DATABASE_URL", "OWNER_DATABASE_URL"]);
      await migrateDatabase(OWNER_DATABASE_URL ?? DATABASE_URL);
      if (OWNER_DATABASE_URL !== undefined) await grantServicePrivileges(OWNER_DATABASE_URL, DATABASE_URL);
      print("The database is up to date.");
    }),
  );
}
