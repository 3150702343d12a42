import { isUuid } from "@video-to-json/contract";
import { eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { type Account, accountColumns, normaliseEmail } from "./account.ts";

/** Returns the account with this id; undefined for any other text. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  if (!isUuid(id)) return undefined;
  const [account] = await db.select(accountColumns).from(accounts).where(eq(accounts.id, id));
  return account;
}

/** Returns the account of an e-mail address, in upper or lower case. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  const [account] = await db
    .select(accountColumns)
    .from(accounts)
    .where(eq(sql`lower(${accounts.email})`, sql`lower(${normaliseEmail(email)})`));
  return account;
}
