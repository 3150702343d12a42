import { Command } from "commander";
import type { Io } from "../io.ts";

/** `balance`: what the account has left. */
export function balanceCommand(surroundings: Io): Command {
  return new Command("balance")
    .description("Show how many minutes the account has left.")
    .option("--json", "print one line of JSON, as is printed wherever standard output is not a terminal")
    .option("--url <address>", "the service's address")
    .action(async (options: { json?: true; url?: string }) =>
      (await import("./balance.ts")).balance(surroundings, options),
    );
}
