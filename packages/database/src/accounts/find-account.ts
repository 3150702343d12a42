import { isUuid } from "@video-to-json/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { type Account, accountColumns, normaliseEmail } from "./account.ts";

/** Returns the account with this id; undefined for a deleted account and for any other text. */
export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  if (!isUuid(id)) return undefined;
  const [account] = await db
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)));
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
