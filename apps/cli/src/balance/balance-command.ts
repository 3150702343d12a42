import { Command } from "commander";
import type { Io } from "../io.ts";

/** Returns `balance`: shows the account's balance. */
export function balanceCommand(io: Io): Command {
  return new Command("balance")
    .description("Show how many minutes the account has left.")
    .option("--json", "print one line of JSON; the default if standard output is not a terminal")
    .option("--url <address>", "the service's address")
    .action(async (options: { json?: true; url?: string }) => (await import("./balance.ts")).balance(io, options));
}
