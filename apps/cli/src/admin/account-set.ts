import { setAccountLimits } from "@video-to-json/database";
import { Command, InvalidArgumentError } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { maxJobs?: Limit; maxFailedExtractions?: Limit; maxFailedPercent?: Limit };
type Limit = number | "default";

/** Returns `admin account set`: sets limits of one account. */
export function accountSetCommand({ env, print }: AdminIo): Command {
  return new Command("set")
    .description("Set limits of an account. `default` removes a limit of its own.")
    .argument("<account>", "the account's e-mail address or id")
    .option("--max-jobs <number>", "open jobs, instead of MAX_JOBS_PER_ACCOUNT", readLimit)
    .option("--max-failed-extractions <number>", "instead of MAX_FAILED_EXTRACTIONS", readLimit)
    .option("--max-failed-percent <number>", "instead of MAX_FAILED_PERCENT", readLimit)
    .action((emailOrId: string, limits: Options) =>
      withDatabase({ env }, async (db) => {
        const { id, email } = await requireAccount(db, emailOrId);
        const stored = Object.entries(limits).map(([name, limit]) => [name, limit === "default" ? null : limit]);
        const account = await setAccountLimits(db, id, Object.fromEntries(stored));
        print(`Account ${id} (${email})`);
        for (const [name, limit] of Object.entries(account)) print(`${name}: ${limit ?? "default"}`);
      }),
    );
}

function readLimit(text: string): Limit {
  if (text === "default") return text;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number, or `default`.");
}
