import { Command } from "commander";
import type { Io } from "../io.ts";
import { jqOption, jsonOption, outputOption, urlOption } from "../options.ts";
import type { BalanceOptions } from "./balance.ts";

/** Returns `balance`: shows the account's balance. */
export function balanceCommand(io: Io): Command {
  return new Command("balance")
    .description("Show how many minutes the account has left.")
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .action(async (options: BalanceOptions) => (await import("./balance.ts")).balance(io, options));
}
