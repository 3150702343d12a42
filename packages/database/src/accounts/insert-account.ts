import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { type Account, accountColumns, normaliseEmail } from "./account.ts";

/** Inserts an account without minutes. Returns undefined if the e-mail address has an account. */
export async function insertAccount(db: Db, { email }: { email: string }): Promise<Account | undefined> {
  const [account] = await db
    .insert(accounts)
    .values({ email: normaliseEmail(email) })
    .onConflictDoNothing()
    .returning(accountColumns);
  return account;
}
