import { Command } from "commander";
import type { Io } from "../io.ts";

/** `login`: keeps an address and a key. */
export function loginCommand(surroundings: Io): Command {
  return new Command("login")
    .description("Keep the service's address and your key, for the commands that follow.")
    .option("--url <address>", "the service's address")
    .addHelpText(
      "after",
      "\nThe key is asked for on a terminal, and read from standard input otherwise; never an argument.",
    )
    .action(async (options: { url?: string }) => (await import("./login.ts")).login(surroundings, options));
}

/** `logout`: forgets what `login` kept. */
export function logoutCommand(surroundings: Io): Command {
  return new Command("logout")
    .description("Forget the key that login kept.")
    .action(async () => (await import("./logout.ts")).logout(surroundings));
}
