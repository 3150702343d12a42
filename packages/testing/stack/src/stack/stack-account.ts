import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApiKey, hashApiKey } from "@video-to-json/contract";
import {
  type Database,
  findCallerByKey,
  grantServicePrivileges,
  insertKey,
  migrateDatabase,
  openDatabase,
} from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import type { Environment } from "@video-to-json/testing";

/** The e-mail address of the account of a stack. */
export const accountEmail = "stack@example.com";

/** Returns the key of an earlier start of the stack if it still works, or a new one, which it stores in `dataDir`. */
export async function keptKey(dataDir: string, env: Environment): Promise<string> {
  const file = join(dataDir, "account.json");
  if (existsSync(file)) {
    const { key } = JSON.parse(readFileSync(file, "utf8")) as { key: string };
    if (await withDatabase(env, ({ db }) => findCallerByKey(db, hashApiKey(key)))) return key;
  }
  const key = await createKey(env, accountEmail);
  writeFileSync(file, JSON.stringify({ email: accountEmail, key }), { mode: 0o600 });
  return key;
}

/** Does the same as `video-to-json-admin migrate`, without a new process. */
export async function migrate(env: Environment): Promise<void> {
  const { DATABASE_URL, OWNER_DATABASE_URL } = readSettings(env, ["DATABASE_URL", "OWNER_DATABASE_URL"]);
  await migrateDatabase(OWNER_DATABASE_URL ?? DATABASE_URL);
  if (OWNER_DATABASE_URL !== undefined) await grantServicePrivileges(OWNER_DATABASE_URL, DATABASE_URL);
}

/** Creates an account with its free seconds if the e-mail address has none yet. Returns a new key of the account. */
export function createKey(env: Environment, email = `${randomUUID()}@example.com`): Promise<string> {
  const { FREE_SECONDS: freeSeconds, API_KEY_PREFIX } = readSettings(env, ["FREE_SECONDS", "API_KEY_PREFIX"]);
  return withDatabase(env, async ({ db }) => {
    const { account } = await openAccount(db, { email, freeSeconds });
    const { key, sha256, display } = createApiKey(API_KEY_PREFIX);
    await insertKey(db, { accountId: account.id, name: "stack", sha256, display });
    return key;
  });
}

async function withDatabase<T>(env: Environment, work: (database: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL } = readSettings(env, ["DATABASE_URL"]);
  const database = openDatabase(DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json stack" });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
