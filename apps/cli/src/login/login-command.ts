import { Command } from "commander";
import type { Io } from "../io.ts";
import { urlOption } from "../options.ts";

/** Returns `login`: saves an address and a key. */
export function loginCommand(io: Io): Command {
  return new Command("login")
    .description("Sign in, and save the service's address and your API key for later commands.")
    .addOption(urlOption())
    .addHelpText(
      "after",
      "\nOn a terminal, you sign in with your browser or paste a key. Otherwise the command reads the key from standard input.",
    )
    .action(async (options: { url?: string }) => (await import("./login.ts")).login(io, options));
}

/** Returns `logout`: deletes the saved login. */
export function logoutCommand(io: Io): Command {
  return new Command("logout")
    .description("Delete the address and key that login saved.")
    .action(async () => (await import("./login.ts")).logout(io));
}
