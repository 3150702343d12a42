import { Command } from "commander";
import { jsonOption, urlOption } from "../connection/options.ts";
import type { Io } from "../io.ts";

/** Returns `balance`: shows the account's balance. */
export function balanceCommand(io: Io): Command {
  return new Command("balance")
    .description("Show how many minutes the account has left.")
    .addOption(jsonOption())
    .addOption(urlOption())
    .action(async (options: { json?: true; url?: string }) => (await import("./balance.ts")).balance(io, options));
}
