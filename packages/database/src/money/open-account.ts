import { createHash } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { type Account, normaliseEmail } from "../accounts/account.ts";
import { findAccountByEmail } from "../accounts/find-account.ts";
import { insertAccount } from "../accounts/insert-account.ts";
import type { Db, Tx } from "../connection/open-database.ts";
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
