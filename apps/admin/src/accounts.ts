import { Problem } from "@video-to-json/contract";
import {
  type Account,
  type Db,
  findAccount,
  findAccountByEmail,
  type RetentionDays,
  retentionChoices,
  setAccountLimits,
  setRetention,
} from "@video-to-json/database";
import { balance, deleteAccount, openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import { Command, InvalidArgumentError } from "commander";
import { AdminError, type AdminIo } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `account`: creates and deletes accounts, and sets their limits. */
export function accountCommand(io: AdminIo): Command {
  return new Command("account")
    .description("Manage accounts.")
    .addCommand(createCommand(io))
    .addCommand(setCommand(io))
    .addCommand(deleteCommand(io));
}

/** Returns the account with this e-mail address or id. Throws not_found. */
export async function requireAccount(db: Db, emailOrId: string): Promise<Account> {
  const find = emailOrId.includes("@") ? findAccountByEmail : findAccount;
  const account = await find(db, emailOrId);
  if (account) return account;
  throw new AdminError(
    "not_found",
    `There is no account ${emailOrId}. Check the e-mail address or id, or run \`video-to-json-admin account create --email …\`.`,
  );
}

type CreateOptions = { email: string; json?: true };

/** Returns `account create`: creates an account with its free minutes, once per e-mail address. */
function createCommand({ env, print }: AdminIo): Command {
  return new Command("create")
    .description("Create an account with its free minutes. An existing account stays unchanged.")
    .requiredOption("--email <address>", "the account's e-mail address")
    .option("--json", "print one line of JSON")
    .action(({ email, json }: CreateOptions) =>
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

type SetOptions = { maxJobs?: Limit; maxFailedExtractions?: Limit; maxFailedPercent?: Limit; retention?: Retention };
type Retention = { days: RetentionDays };
type Limit = number | "default";

/** Returns `account set`: sets limits of one account, and how long the contents of its jobs are kept. */
function setCommand({ env, print }: AdminIo): Command {
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
    .action((emailOrId: string, { retention, ...limits }: SetOptions) =>
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

/** Returns `account delete`: deletes an account for good. Its ledger stays. */
function deleteCommand({ env, print }: AdminIo): Command {
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
