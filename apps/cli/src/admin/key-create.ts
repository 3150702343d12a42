import { createApiKey } from "@video-to-json/contract";
import { insertKey } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import { Command } from "commander";
import { CommandError } from "../exit/command-error.ts";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { account: string; name: string; json?: true };

const maxNameLength = 100;

/** Returns `admin key create`: creates an API key and prints it once (specification, "Authentication"). */
export function keyCreateCommand({ env, print }: AdminIo): Command {
  return new Command("create")
    .description("Create an API key for an account. It is shown once; only its hash is stored.")
    .requiredOption("--account <email or id>", "the account's e-mail address or id")
    .option("--name <text>", "the purpose of the key", "operator")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, name, json }: Options) =>
      withDatabase({ env }, async (db) => {
        if (name.length > maxNameLength)
          throw new CommandError(
            "invalid_request",
            `The name is too long. Give one of at most ${maxNameLength} characters.`,
          );
        const account = await requireAccount(db, emailOrId);
        const { key, sha256, display } = createApiKey(readSettings(env, ["API_KEY_PREFIX"]).API_KEY_PREFIX);
        const { id } = await insertKey(db, { accountId: account.id, name, sha256, display });
        if (json) {
          print(JSON.stringify({ id, account_id: account.id, display, key }));
          return;
        }
        print(key);
        print(`Key ${id} of ${account.email}. Save it now: it cannot be shown again.`);
      }),
    );
}
