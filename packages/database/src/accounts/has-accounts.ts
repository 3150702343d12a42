import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";

/** Returns whether any account exists or existed; deleted accounts count. */
export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}
