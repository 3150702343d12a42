import { createClient } from "video-to-json";
import { findConnection } from "../connection/find-connection.ts";
import type { Io } from "../io.ts";
import type { OutputOptions } from "../options.ts";
import { openResults } from "../output/open-results.ts";
import { minutesText, printable } from "../terminal.ts";

/** The options of `balance`. */
export type BalanceOptions = OutputOptions & { json?: true; url?: string };

/** Prints the account and its balance (specification, "Account"): as text on a terminal, else as one line of JSON. */
export async function balance(io: Io, { url, ...options }: BalanceOptions): Promise<void> {
  const { stdout } = io;
  const client = createClient(await findConnection(io, { url }));
  const results = await openResults(io, options, { indent: false });
  const account = await client.account();
  if (options.json || options.output || options.jq || !stdout.isTTY) {
    results.write(JSON.stringify(account));
    await results.finish();
    return;
  }
  stdout.write(`${minutesText(account.seconds_remaining)} left, ${printable(account.email)}\n`);
}
