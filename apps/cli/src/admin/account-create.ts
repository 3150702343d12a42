import { balance, openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

type Options = { email: string; json?: true };

/** Returns `admin account create`: creates an account with its free minutes, once per e-mail address. */
export function accountCreateCommand({ env, print }: AdminIo): Command {
  return new Command("create")
    .description("Create an account with its free minutes. An existing account stays unchanged.")
    .requiredOption("--email <address>", "the account's e-mail address")
    .option("--json", "print one line of JSON")
    .action(({ email, json }: Options) =>
      withDatabase({ env }, async (db) => {
        const { FREE_SECONDS: freeSeconds } = readSettings(env, ["FREE_SECONDS"]);
        const { account, granted } = await openAccount(db, { email, freeSeconds });
        const seconds = await balance(db, account.id);
        if (json) {
          print(JSON.stringify({ id: account.id, email: account.email, seconds_remaining: seconds, granted }));
          return;
        }
        print(`Account ${account.id} (${account.email})`);
        print(`${seconds} s remain${granted ? ", including the new free minutes" : ""}.`);
      }),
    );
}
