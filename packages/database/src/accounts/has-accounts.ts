import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";

/** Returns whether there is or was an account: deleted ones count. */
export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}
