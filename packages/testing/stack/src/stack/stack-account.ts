import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApiKey } from "@video-to-json/contract";
import { grantServicePrivileges, insertKey, migrateDatabase, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import type { Environment } from "@video-to-json/testing";

/** An account and a key to it. */
export type StackAccount = { email: string; key: string };

/** Returns the account of an earlier start of the stack, if its key still works. */
export async function keptAccount(dataDir: string, baseUrl: string): Promise<StackAccount | undefined> {
  const kept = readAccount(dataDir);
  if (!kept) return undefined;
  const response = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${kept.key}` } });
  return response.ok ? kept : undefined;
}

/** Creates a key, and its account if no account has this address. Stores both in `dataDir`. */
export async function makeAccount(dataDir: string, email: string, env: Environment): Promise<StackAccount> {
  const account = { email, key: await createKey(env, email) };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(fileIn(dataDir), JSON.stringify(account), { mode: 0o600 });
  return account;
}

/** Returns whether an earlier start of the stack stored an account. */
export function hasAccount(dataDir: string): boolean {
  return readAccount(dataDir) !== undefined;
}

function readAccount(dataDir: string): StackAccount | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as StackAccount;
  } catch {
    return undefined;
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, "account.json");
}

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
