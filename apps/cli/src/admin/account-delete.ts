import { Problem } from "@video-to-json/contract";
import { deleteAccount } from "@video-to-json/database/money";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `admin account delete`: deletes an account for good. Its ledger stays. */
export function accountDeleteCommand({ env, print }: AdminIo): Command {
  return new Command("delete")
    .description("Delete an account for good: its keys and the contents of its jobs. Its ledger stays.")
    .argument("<account>", "the account's e-mail address or id")
    .requiredOption("--yes", "confirm the deletion")
    .action((emailOrId: string) =>
      withDatabase({ env }, async (db) => {
        const { id, email } = await requireAccount(db, emailOrId);
        const error = new Problem("unauthorised", { reason: "account_deleted" }).toInside();
        await deleteAccount(db, { accountId: id, error });
        print(`Account ${id} (${email}) is deleted. Its keys are refused, and its running jobs end without charge.`);
      }),
    );
}
