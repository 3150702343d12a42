import { tmpdir } from "node:os";
import { openProviders } from "@video-to-json/analysis/provider";
import { grantServicePrivileges, migrateDatabase } from "@video-to-json/database";
import { openFirstAccount } from "@video-to-json/database/money";
import { providerSettings, readSettings } from "@video-to-json/runtime/settings";
import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { accountCommand } from "./accounts.ts";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";
import { costsCommand, grantCommand } from "./grant.ts";
import { jobCommand } from "./jobs.ts";
import { keyCommand } from "./keys.ts";
import { ledgerCommand } from "./ledger.ts";
import { probeCommand } from "./probe.ts";
import { withDatabase, withReportedErrors } from "./with-database.ts";

/** Creates the command `video-to-json-admin`: what operators do on the database of DATABASE_URL. */
export function createProgram(io: AdminIo): Command {
  return new Command("video-to-json-admin")
    .description("The operator's commands on the database of DATABASE_URL.")
    .version(manifest.version, "-V, --version", "print the version")
    .addCommand(migrateCommand(io))
    .addCommand(accountCommand(io))
    .addCommand(keyCommand(io))
    .addCommand(grantCommand(io))
    .addCommand(costsCommand(io))
    .addCommand(ledgerCommand(io))
    .addCommand(jobCommand(io))
    .addCommand(probeCommand(io))
    .addCommand(new Command("provider").description("Look at the provider.").addCommand(checkCommand(io)));
}

/** Runs one command line. Returns the exit code: 0 done, 1 failed, 2 wrong usage. `fail` writes to standard error. */
export async function run(io: AdminIo, words: readonly string[], fail: (text: string) => void): Promise<number> {
  const program = createProgram(io);
  throwInstead(program, (text) => io.print(text.trimEnd()), fail);
  try {
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    fail(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** Makes a command and its subcommands throw on wrong usage instead of ending the process. */
function throwInstead(command: Command, writeOut: (text: string) => void, writeErr: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut, writeErr });
  for (const subcommand of command.commands) throwInstead(subcommand, writeOut, writeErr);
}

/**
 * Returns `migrate`: migrates the database to this version. If OWNER_DATABASE_URL is set, it migrates as that user
 * and grants the user of DATABASE_URL the privileges that the processes need. If FIRST_ACCOUNT_EMAIL is set, it makes the
 * first account of an installation that has none.
 */
function migrateCommand({ env, print }: AdminIo): Command {
  return new Command("migrate").description("Create or update the tables of the database.").action(() =>
    withReportedErrors(async () => {
      // Reads these settings first, so that a wrong address does not stop the command half-way.
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

/** Returns `provider check`: tries what jobs need, and prints a line for each step. */
function checkCommand({ env, print }: AdminIo): Command {
  return new Command("check")
    .description("Try the key, the models, an upload and a deletion. It costs less than a cent.")
    .action(async () => {
      const log = { info() {}, warn() {}, error() {} };
      const { provider } = openProviders(readSettings(env, providerSettings), { log });
      const checks = await provider.check(tmpdir()).finally(() => provider.close());
      for (const { step, isOk, words, advice } of checks) {
        print(isOk ? `ok      ${step}` : `failed  ${step}: ${printable(words)} ${advice}`);
      }
      if (checks.some(({ isOk }) => !isOk)) throw new AdminError("provider_unavailable", "The provider check failed.");
    });
}
