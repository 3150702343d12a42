import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import { clockText } from "../progress/amounts.ts";
import { printable } from "../terminal/printable.ts";
import { writeJson } from "../terminal/write-json.ts";

/** Prints the account and its balance (specification, "Account"): as text on a terminal, else as one line of JSON. */
export async function balance(io: Io, options: { json?: true; url?: string }): Promise<void> {
  const account = await createClient(await findConnection(io, options)).account();
  const { stdout } = io;
  if (options.json || !stdout.isTTY) {
    writeJson(stdout, JSON.stringify(account));
    return;
  }
  const seconds = account.seconds_remaining;
  stdout.write(`${clockText(seconds * 1000)} minutes left (${seconds} s), ${printable(account.email)}\n`);
}
