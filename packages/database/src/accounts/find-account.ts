import { isUuid } from "@video-to-json/contract";
import { eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { type Account, accountColumns, normaliseEmail } from "./account.ts";

/** The account with this id; undefined for any text that is not one's. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  if (!isUuid(id)) return undefined;
  const [account] = await db.select(accountColumns).from(accounts).where(eq(accounts.id, id));
  return account;
}

/** The account of an e-mail address, in whatever case it is written. */
export async function findAccountByEmail(db: Db, email: string): Promise<Account | undefined> {
  const [account] = await db
    .select(accountColumns)
    .from(accounts)
    .where(eq(sql`lower(${accounts.email})`, sql`lower(${normaliseEmail(email)})`));
  return account;
}
