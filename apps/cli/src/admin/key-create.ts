import { createApiKey, Problem } from "@video-to-json/contract";
import { insertKey } from "@video-to-json/database";
import { readSettings } from "@video-to-json/settings";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requiredAccount } from "./required-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { account: string; name: string; json?: true };

const longestName = 100;

/** `admin key create`: a new key, shown this once (specification, "Authentication"). */
export function keyCreateCommand({ env, print }: AdminIo): Command {
  return new Command("create")
    .description("Make a key for an account. It is shown once; only its hash is stored.")
    .requiredOption("--account <email or id>", "whose minutes the key spends")
    .option("--name <text>", "what the key is for", "operator")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, name, json }: Options) =>
      withDatabase({ env }, async (db) => {
        if (name.length > longestName)
          throw new Problem("invalid_request", `Give a name of ${longestName} characters.`);
        const account = await requiredAccount(db, emailOrId);
        const { key, sha256, display } = createApiKey(readSettings(env, ["API_KEY_PREFIX"]).API_KEY_PREFIX);
        const { id } = await insertKey(db, { accountId: account.id, name, sha256, display });
        if (json) {
          print(JSON.stringify({ id, account_id: account.id, display, key }));
          return;
        }
        print(key);
        print(`Key ${id} of ${account.email}. Keep it now: it cannot be shown again.`);
      }),
    );
}
