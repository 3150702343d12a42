import { type KeyRow, listKeys } from "@video-to-json/database";
import { Command } from "commander";
import { printable } from "../terminal/printable.ts";
import type { AdminIo } from "./admin-io.ts";
import { requireAccount } from "./require-account.ts";
import { withDatabase } from "./with-database.ts";

type Options = { account: string; json?: true };

/** Returns `admin key list`: lists all keys of an account with their limits, revoked ones included, oldest first. */
export function keyListCommand({ env, print }: AdminIo): Command {
  return new Command("list")
    .description("List the API keys of an account, revoked ones included.")
    .requiredOption("--account <email or id>", "the account's e-mail address or id")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, json }: Options) =>
      withDatabase({ env }, async (db) => {
        const account = await requireAccount(db, emailOrId);
        const keys = await listKeys(db, account.id);
        if (json) print(printable(JSON.stringify(keys.map(record))));
        else if (keys.length === 0) print(`${account.email} has no keys.`);
        else for (const key of keys) print(line(key));
      }),
    );
}

function record(key: KeyRow) {
  return {
    id: key.id,
    name: key.name,
    display: key.display,
    state: key.state,
    scope: key.scope,
    monthly_minutes: key.monthlyMinutes,
    minutes_this_month: minutes(key.secondsThisMonth),
    ends_at: key.endsAt,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  };
}

function line(key: KeyRow): string {
  const { id, display, name, scope, monthlyMinutes, secondsThisMonth } = key;
  const limit = monthlyMinutes === null ? "" : ` of ${monthlyMinutes}`;
  return [
    id,
    `${display}…`,
    stateOf(key),
    scope,
    `${minutes(secondsThisMonth)}${limit} min this month`,
    `created ${key.createdAt.toISOString()}`,
    key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : "never used",
    printable(JSON.stringify(name)),
  ].join("  ");
}

function stateOf({ state, revokedAt, endsAt }: KeyRow): string {
  if (state === "revoked") return `revoked ${revokedAt?.toISOString()}`;
  if (state === "ended") return `ended ${endsAt?.toISOString()}`;
  return endsAt ? `live until ${endsAt.toISOString()}` : "live";
}

function minutes(seconds: number): number {
  return Math.round(seconds / 0.6) / 100;
}
