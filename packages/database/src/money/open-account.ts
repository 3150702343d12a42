import { createHash } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import {
  type Account,
  findAccountByEmail,
  hasAccounts,
  insertAccount,
  lockAccount,
  normaliseEmail,
} from "../accounts/accounts.ts";
import type { Db, Tx } from "../connection/open-database.ts";
import { createKey, listKeys } from "../keys/keys.ts";
import { freeGrants } from "../tables/accounts.ts";
import { ledger } from "../tables/money.ts";

const emailForm = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const maxEmailLength = 254;

/**
 * Finds or creates the account of an e-mail address, and grants `freeSeconds` if the address never got them: once ever,
 * even if an earlier account was deleted (specification, "Limits"; docs/decisions/0001, "Dashboard and accounts"). Any
 * number of calls may race.
 *
 * @returns the account, and whether this call granted the seconds.
 * @throws Problem `invalid_request` if the text is not an e-mail address.
 */
export async function openAccount(
  db: Db,
  { email, freeSeconds }: { email: string; freeSeconds: number },
): Promise<{ account: Account; granted: boolean }> {
  const address = normaliseEmail(email);
  if (!emailForm.test(address) || address.length > maxEmailLength) {
    throw new Problem("invalid_request", {
      reason: "The e-mail address is not valid. Use one such as name@example.com.",
    });
  }
  return db.transaction(async (tx) => {
    const account = (await insertAccount(tx, { email: address })) ?? (await findAccountByEmail(tx, address));
    if (!account) throw new Error("the account was deleted while it was opened");
    const granted = freeSeconds > 0 && (await grantOnce(tx, account, freeSeconds));
    return { account, granted };
  });
}

async function grantOnce(tx: Tx, account: Account, seconds: number): Promise<boolean> {
  const emailSha256 = createHash("sha256").update(normaliseEmail(account.email)).digest();
  const first = await tx.insert(freeGrants).values({ emailSha256 }).onConflictDoNothing().returning();
  if (first.length === 0) return false;
  const reference = `free:${emailSha256.toString("hex")}`;
  await tx.insert(ledger).values({ accountId: account.id, seconds, kind: "grant", reference });
  return true;
}

type FirstAccount = {
  email: string;
  freeSeconds: number;
  /** The prefix of the key, before `_live_`. */
  keyPrefix: string;
};

/**
 * Makes the first account of an installation and its first key. Does nothing if the account has a key, or if the
 * installation has accounts but none with this address. Any number of calls may race, and each may die between any two
 * lines.
 *
 * @param show receives the key before it is stored. A call that dies in between leaves a key that was shown and is
 *   refused; the next call shows another one. So the key that was shown last works.
 * @returns whether this call created the key.
 * @throws Problem `invalid_request` if the text is not an e-mail address.
 */
export async function openFirstAccount(
  db: Db,
  { email, freeSeconds, keyPrefix }: FirstAccount,
  show: (key: string) => void,
): Promise<boolean> {
  if (!(await findAccountByEmail(db, email)) && (await hasAccounts(db))) return false;
  const { account } = await openAccount(db, { email, freeSeconds });
  return db.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    if ((await listKeys(tx, account.id)).length > 0) return false;
    const { key } = await createKey(tx, { accountId: account.id, name: "first", keyPrefix });
    show(key);
    return true;
  });
}
