import { type RetentionDays, retentionChoices, setAccountLimits, setRetention } from "@video-to-json/database";
import { Command, InvalidArgumentError } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { maxJobs?: Limit; maxFailedExtractions?: Limit; maxFailedPercent?: Limit; retention?: Retention };
type Retention = { days: RetentionDays };
type Limit = number | "default";

/** Returns `admin account set`: sets limits of one account, and how long the contents of its jobs are kept. */
export function accountSetCommand({ env, print }: AdminIo): Command {
  return new Command("set")
    .description("Set limits of an account, and its retention. `default` restores the default limit.")
    .argument("<account>", "the account's e-mail address or id")
    .option("--max-jobs <number>", "open jobs, instead of MAX_JOBS_PER_ACCOUNT", readLimit)
    .option("--max-failed-extractions <number>", "instead of MAX_FAILED_EXTRACTIONS", readLimit)
    .option("--max-failed-percent <number>", "instead of MAX_FAILED_PERCENT", readLimit)
    .option(
      "--retention <days>",
      "erase the contents of its jobs after 30, 7 or 1 days; `keep` for ever",
      readRetention,
    )
    .action((emailOrId: string, { retention, ...limits }: Options) =>
      withDatabase({ env }, async (db) => {
        const { id, email, retentionDays } = await requireAccount(db, emailOrId);
        if (retention) await setRetention(db, id, retention.days);
        const stored = Object.entries(limits).map(([name, limit]) => [name, limit === "default" ? null : limit]);
        const account = await setAccountLimits(db, id, Object.fromEntries(stored));
        print(`Account ${id} (${email})`);
        for (const [name, limit] of Object.entries(account)) print(`${name}: ${limit ?? "default"}`);
        print(`retentionDays: ${(retention ? retention.days : retentionDays) ?? "keep"}`);
      }),
    );
}

function readLimit(text: string): Limit {
  if (text === "default") return text;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number, or `default`.");
}

function readRetention(text: string): Retention {
  const days = retentionChoices.find((choice) => String(choice ?? "keep") === text);
  if (days !== undefined) return { days };
  throw new InvalidArgumentError("Give `keep`, 30, 7 or 1.");
}
