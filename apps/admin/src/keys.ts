import { type KeyScope, keyScopes } from "@video-to-json/contract";
import { createKey, findKeysNamed, type KeyRow, listKeys, revokeKey } from "@video-to-json/database";
import { readSettings } from "@video-to-json/runtime/settings";
import { Command, InvalidArgumentError, Option } from "commander";
import { requireAccount } from "./accounts.ts";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `key`: creates, lists and revokes API keys. */
export function keyCommand(io: AdminIo): Command {
  return new Command("key")
    .description("Manage API keys.")
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(revokeCommand(io));
}

type CreateOptions = {
  account: string;
  name: string;
  scope: KeyScope;
  monthlyMinutes?: number;
  ends?: Date;
  json?: true;
};

/** Returns `key create`: creates an API key and prints it once (specification, "Authentication"). */
function createCommand({ env, print }: AdminIo): Command {
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
    .action(({ account: emailOrId, name, scope, monthlyMinutes, ends, json }: CreateOptions) =>
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

type ListOptions = { account: string; json?: true };

/** Returns `key list`: lists all keys of an account with their limits, revoked ones included, oldest first. */
function listCommand({ env, print }: AdminIo): Command {
  return new Command("list")
    .description("List the API keys of an account, revoked ones included.")
    .requiredOption("--account <email or id>", "the account's e-mail address or id")
    .option("--json", "print one line of JSON")
    .action(({ account: emailOrId, json }: ListOptions) =>
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

/** Returns `key revoke`: revokes a key for good. The next request with it is refused. */
function revokeCommand({ env, print }: AdminIo): Command {
  return new Command("revoke")
    .description("Revoke an API key for good.")
    .argument("<key>", "the key's id, or its first characters as `key list` shows them")
    .action((idOrDisplay: string) =>
      withDatabase({ env }, async (db) => {
        const [key, ...others] = await findKeysNamed(db, idOrDisplay.replace(/…$/, ""));
        if (!key) {
          throw new AdminError(
            "not_found",
            "There is no such key. List the keys with `video-to-json-admin key list --account …`.",
          );
        }
        if (others.length > 0) {
          throw new AdminError(
            "invalid_request",
            `${others.length + 1} keys begin with these characters. Give the id of one of them.`,
          );
        }
        const now = await revokeKey(db, key);
        print(`Key ${key.id} (${key.display}…) ${now ? "is revoked" : "was already revoked"}.`);
      }),
    );
}
