import { createApiKey } from "@video-to-json/contract";
import { type Db, insertKey } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import type { Chance } from "../chance.ts";
import type { TrialAccount } from "./call.ts";

// From nothing that a job could be paid from, over one or two jobs, to a good many.
const balances = [0, 30, 59, 60, 100, 125, 150, 190, 240, 400, 900];

/** How much an account is to have, from what it cannot pay a job with to what it can pay many with. */
export function smallBalance(chance: Chance): number {
  return chance.pick(balances);
}

/** Opens an account with a balance and a key. It is opened twice at once: the grant must be given once. */
export async function newAccount(db: Db, email: string, freeSeconds: number): Promise<TrialAccount> {
  const [{ account }] = await Promise.all([
    openAccount(db, { email, freeSeconds }),
    openAccount(db, { email, freeSeconds }),
  ]);
  const { key, sha256, display } = createApiKey("v2j");
  await insertKey(db, { accountId: account.id, name: "trial", sha256, display });
  return { id: account.id, email, key, grantedSeconds: freeSeconds };
}
