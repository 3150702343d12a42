import { balance, grant, listCosts } from "@video-to-json/database/money";
import { Command } from "commander";
import { requireAccount } from "./accounts.ts";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

type Options = { account: string; minutes?: string; seconds?: string; reference: string; json?: true };

/** Returns `grant`: adds minutes to an account, once per reference. */
export function grantCommand({ env, print }: AdminIo): Command {
  return new Command("grant")
    .description("Add minutes to an account. A second grant with the same reference adds nothing.")
    .requiredOption("--account <email or id>", "the account's e-mail address or id")
    .option("--minutes <number>", "the minutes to add")
    .option("--seconds <number>", "the seconds to add, instead of minutes")
    .requiredOption("--reference <text>", "the reason, such as an invoice or a ticket; unique per grant")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, reference, json, ...amount }: Options) =>
      withDatabase({ env }, async (db) => {
        const seconds = secondsOf(amount);
        const account = await requireAccount(db, emailOrId);
        const granted = await grant(db, { accountId: account.id, seconds, reference });
        const remaining = await balance(db, account.id);
        if (json) {
          print(JSON.stringify({ account_id: account.id, seconds, reference, granted, seconds_remaining: remaining }));
          return;
        }
        print(
          granted
            ? `Granted ${seconds} s to ${account.email}.`
            : "This reference was granted before. Nothing was added.",
        );
        print(`${remaining} s remain.`);
      }),
    );
}

/** Returns `costs`: lists the accounts whose jobs have cost most of the provider's tokens, and processor time, charged or not. */
export function costsCommand({ env, print }: AdminIo): Command {
  return new Command("costs")
    .description("List the accounts whose jobs have cost most of the provider's tokens, charged or not.")
    .option("--limit <number>", "how many accounts", "20")
    .option("--json", "print one line of JSON")
    .action(({ limit, json }: { limit: string; json?: true }) =>
      withDatabase({ env }, async (db) => {
        if (!/^[1-9]\d{0,3}$/.test(limit))
          throw new AdminError("invalid_request", "--limit is a number from 1 to 9999.");
        const costs = await listCosts(db, Number(limit));
        if (json) {
          print(JSON.stringify({ accounts: costs }));
          return;
        }
        print("dollars   tokens       processor s  billed s   tokens/s   grants  account");
        for (const { email, tokens, dollars, processorSeconds, billedSeconds, isFree } of costs) {
          const rate = billedSeconds > 0 ? String(Math.round(tokens / billedSeconds)) : "-";
          const processor = String(Math.round(processorSeconds)).padEnd(12);
          const columns = [
            dollars.toFixed(2).padEnd(9),
            String(tokens).padEnd(12),
            processor,
            String(billedSeconds).padEnd(10),
            rate.padEnd(10),
          ];
          print([...columns, isFree ? "free  " : "paid  ", printable(email)].join(" "));
        }
      }),
    );
}

function secondsOf({ minutes, seconds }: Pick<Options, "minutes" | "seconds">): number {
  if ((minutes === undefined) === (seconds === undefined)) {
    throw new AdminError("invalid_request", "Give either --minutes or --seconds.");
  }
  const text = minutes ?? seconds ?? "";
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) * (minutes === undefined ? 1 : 60) : Number.NaN;
  // 0.1 minutes are 6 s, but not exactly so in floating point.
  const whole = Math.round(amount);
  if (Math.abs(amount - whole) < 1e-6) return whole;
  throw new AdminError("invalid_request", `"${text}" does not make whole seconds. Give another number.`);
}
