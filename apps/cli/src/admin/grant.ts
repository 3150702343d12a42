import { Problem } from "@video-to-json/contract";
import { balance, grant } from "@video-to-json/ledger";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { requiredAccount } from "./required-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { account: string; minutes?: string; seconds?: string; reference: string; json?: true };

/** `admin grant`: adds minutes to an account, once for each reference. */
export function grantCommand({ env, print }: AdminIo): Command {
  return new Command("grant")
    .description("Add minutes to an account. The same reference is granted once, however often it is given.")
    .requiredOption("--account <email or id>", "who gets them")
    .option("--minutes <number>", "how many minutes")
    .option("--seconds <number>", "or how many seconds")
    .requiredOption("--reference <text>", "what it is for: an invoice, a ticket")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, reference, json, ...amount }: Options) =>
      withDatabase({ env }, async (db) => {
        const seconds = secondsOf(amount);
        const account = await requiredAccount(db, emailOrId);
        const granted = await grant(db, { accountId: account.id, seconds, reference });
        const remaining = await balance(db, account.id);
        if (json) {
          print(JSON.stringify({ account_id: account.id, seconds, reference, granted, seconds_remaining: remaining }));
          return;
        }
        print(
          granted ? `Granted ${seconds} s to ${account.email}.` : "That reference was granted before: nothing added.",
        );
        print(`${remaining} s remain.`);
      }),
    );
}

function secondsOf({ minutes, seconds }: Pick<Options, "minutes" | "seconds">): number {
  if ((minutes === undefined) === (seconds === undefined)) {
    throw new Problem("invalid_request", "Give either --minutes or --seconds.");
  }
  const text = minutes ?? seconds ?? "";
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) * (minutes === undefined ? 1 : 60) : Number.NaN;
  // 0.1 minutes is 6 s, though not in binary.
  const whole = Math.round(amount);
  if (Math.abs(amount - whole) < 1e-6) return whole;
  throw new Problem("invalid_request", `"${text}" is not a number that makes whole seconds.`);
}
