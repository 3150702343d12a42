import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "@video-to-json/testing";
import { createKey } from "./prepare-database.ts";

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
