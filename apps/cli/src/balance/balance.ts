import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { clockText } from "../progress/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { writeJson } from "../terminal/write-json.ts";

/** Prints the account (specification, "Account"): for people on a terminal, as one line of JSON otherwise. */
export async function balance(surroundings: Io, options: { json?: true; url?: string }): Promise<void> {
  const { url: baseUrl, apiKey } = await findConnection(surroundings, options);
  const account = await createClient({ baseUrl, apiKey }).account();
  const { stdout } = surroundings;
  if (options.json || !stdout.isTTY) {
    writeJson(stdout, JSON.stringify(account));
    return;
  }
  const seconds = account.seconds_remaining;
  stdout.write(`${clockText(seconds * 1000)} minutes left (${seconds} s), ${printable(account.email)}\n`);
}
