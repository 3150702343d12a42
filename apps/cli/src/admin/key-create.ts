import { type KeyScope, keyScopes } from "@video-to-json/contract";
import { createKey } from "@video-to-json/database";
import { readSettings } from "@video-to-json/runtime/settings";
import { Command, InvalidArgumentError, Option } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = {
  account: string;
  name: string;
  scope: KeyScope;
  monthlyMinutes?: number;
  ends?: Date;
  json?: true;
};

/** Returns `admin key create`: creates an API key and prints it once (specification, "Authentication"). */
export function keyCreateCommand({ env, print }: AdminIo): Command {
  return new Command("create")
    .description("Create an API key for an account. It is shown once; only its hash is stored.")
    .requiredOption("--account <email or id>", "the account's e-mail address or id")
    .option("--name <text>", "the purpose of the key", "operator")
    .addOption(
      new Option("--scope <scope>", "what the key may do; `extract` includes reading")
        .choices(keyScopes)
        .default("extract"),
    )
    .option("--monthly-minutes <number>", "the minutes that it may spend in a calendar month (UTC)", readMinutes)
    .option("--ends <time>", "the time from which it is refused: 2027-01-31 or 2027-01-31T18:00:00Z (UTC)", readTime)
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, name, scope, monthlyMinutes, ends, json }: Options) =>
      withDatabase({ env }, async (db) => {
        const account = await requireAccount(db, emailOrId);
        const keyPrefix = readSettings(env, ["API_KEY_PREFIX"]).API_KEY_PREFIX;
        const limits = { scope, monthlyMinutes: monthlyMinutes ?? null, endsAt: ends ?? null };
        const { id, key, display } = await createKey(db, { accountId: account.id, name, keyPrefix, ...limits });
        if (json) {
          print(JSON.stringify({ id, account_id: account.id, display, key }));
          return;
        }
        print(key);
        print(`Key ${id} of ${account.email}. Save it now: it cannot be shown again.`);
      }),
    );
}

function readMinutes(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of minutes.");
}

const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/;

function readTime(text: string): Date {
  const time = new Date(text);
  if (timeForm.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError("Give a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z.");
}
