import { randomUUID } from "node:crypto";
import { createApiKey } from "@video-to-json/contract";
import { grantServicePrivileges, insertKey, migrateDatabase, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import type { Environment } from "@video-to-json/testing";

/** Does the same as `video-to-json-admin migrate`, without a new process. */
export async function migrate(env: Environment): Promise<void> {
  const { DATABASE_URL, OWNER_DATABASE_URL } = readSettings(env, ["DATABASE_URL", "OWNER_DATABASE_URL"]);
  await migrateDatabase(OWNER_DATABASE_URL ?? DATABASE_URL);
  if (OWNER_DATABASE_URL !== undefined) await grantServicePrivileges(OWNER_DATABASE_URL, DATABASE_URL);
}

/** Creates an account with its free seconds if the e-mail address has none yet. Returns a new key of the account. */
export async function createKey(env: Environment, email = `${randomUUID()}@example.com`): Promise<string> {
  const settings = readSettings(env, ["DATABASE_URL", "FREE_SECONDS", "API_KEY_PREFIX"]);
  const database = openDatabase(settings.DATABASE_URL, { maxConnections: 1, applicationName: "video-to-json stack" });
  try {
    const { account } = await openAccount(database.db, { email, freeSeconds: settings.FREE_SECONDS });
    const { key, sha256, display } = createApiKey(settings.API_KEY_PREFIX);
    await insertKey(database.db, { accountId: account.id, name: "stack", sha256, display });
    return key;
  } finally {
    await database.close();
  }
}
