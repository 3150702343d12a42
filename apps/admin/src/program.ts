import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { accountCommand } from "./accounts.ts";
import type { AdminIo } from "./admin-io.ts";
import { costsCommand, grantCommand } from "./grant.ts";
import { jobCommand } from "./jobs.ts";
import { keyCommand } from "./keys.ts";
import { ledgerCommand } from "./ledger.ts";
import { migrateCommand } from "./migrate.ts";
import { probeCommand } from "./probe.ts";
import { providerCommand } from "./provider.ts";

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
    .addCommand(providerCommand(io));
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
