import { createApiKey } from "@video-to-json/contract";
import { type Db, insertKey, type KeyLimits } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import type { Random } from "../random.ts";
import type { ChaosAccount } from "./call.ts";

/** The expected state of the accounts of a run, including those whose creation failed. */
export type Issued = {
  /** The free seconds, by e-mail address. */
  granted: Map<string, number>;
  /** The API keys, by their SHA-256 in hex. */
  issuedKeys: Map<string, { key: string; email: string }>;
};

// Enough for no job, for one or two jobs, or for many.
const balances = [0, 30, 59, 60, 100, 125, 150, 190, 240, 400, 900];

/** Returns the seconds for a new account: too few for a job, enough for one, or enough for many. */
export function smallBalance(random: Random): number {
  return random.pick(balances);
}

/** Returns the limit of an account's key. Richer accounts reach it before their balance is spent. */
export function limitOfKey(freeSeconds: number): KeyLimits {
  return { monthlyMinutes: freeSeconds >= 400 ? Math.floor(freeSeconds / 120) : null };
}

/** Opens an account with a balance and a key. Opens it twice at the same time, which must make one grant. */
export async function newAccount(
  db: Db,
  issued: Issued,
  email: string,
  freeSeconds: number,
  limits: KeyLimits = {},
): Promise<ChaosAccount> {
  const { key, sha256, display } = createApiKey("v2j");
  issued.granted.set(email, freeSeconds);
  issued.issuedKeys.set(sha256.toString("hex"), { key, email });
  const [{ account }] = await Promise.all([
    openAccount(db, { email, freeSeconds }),
    openAccount(db, { email, freeSeconds }),
  ]);
  await insertKey(db, { accountId: account.id, name: "chaos", sha256, display, ...limits });
  return { id: account.id, email, key, grantedSeconds: freeSeconds };
}
