import { grantServicePrivileges, migrateDatabase } from "@video-to-json/database";
import { openFirstAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { withDatabase, withReportedErrors } from "./with-database.ts";

/**
 * Returns `migrate`: migrates the database to this version. If OWNER_DATABASE_URL is set, it migrates as that user
 * and grants the user of DATABASE_URL the privileges that the processes need. If FIRST_ACCOUNT_EMAIL is set, it makes the
 * first account of an installation that has none.
 */
export function migrateCommand({ env, print }: AdminIo): Command {
  return new Command("migrate").description("Create or update the tables of the database.").action(() =>
    withReportedErrors(async () => {
      // Validated first, so that a wrong address does not stop the command half-way.
      const first = readSettings(env, ["FIRST_ACCOUNT_EMAIL", "FREE_SECONDS", "API_KEY_PREFIX"]);
      const { DATABASE_URL, OWNER_DATABASE_URL } = readSettings(env, ["DATABASE_URL", "OWNER_DATABASE_URL"]);
      await migrateDatabase(OWNER_DATABASE_URL ?? DATABASE_URL);
      if (OWNER_DATABASE_URL !== undefined) await grantServicePrivileges(OWNER_DATABASE_URL, DATABASE_URL);
      print("The database is up to date.");
      const { FIRST_ACCOUNT_EMAIL: email, FREE_SECONDS: freeSeconds, API_KEY_PREFIX: keyPrefix } = first;
      if (email === undefined) return;
      const show = (key: string) => print(`First key, of ${email}. Save it now, it is not shown again: ${key}`);
      await withDatabase({ env }, async (db) => {
        await openFirstAccount(db, { email, freeSeconds, keyPrefix }, show);
      });
    }),
  );
}
