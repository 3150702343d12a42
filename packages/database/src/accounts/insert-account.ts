import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { type Account, accountColumns, normaliseEmail } from "./account.ts";

/** Makes an account without any minutes; undefined when the e-mail address has one already. */
export async function insertAccount(db: Db, { email }: { email: string }): Promise<Account | undefined> {
  const [account] = await db
    .insert(accounts)
    .values({ email: normaliseEmail(email) })
    .onConflictDoNothing()
    .returning(accountColumns);
  return account;
}
