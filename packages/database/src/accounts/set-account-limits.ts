import { eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";

/** The limits of one account; null means the default of the service. */
export type AccountLimits = {
  maxJobs: number | null;
  maxFailedExtractions: number | null;
  maxFailedPercent: number | null;
};

/** Sets the given limits of an account. Returns all of them. Throws if the account does not exist. */
export async function setAccountLimits(db: Db, id: string, limits: Partial<AccountLimits>): Promise<AccountLimits> {
  // A statement without columns would be invalid.
  const [account] = await db
    .update(accounts)
    .set({ maxJobs: sql`${accounts.maxJobs}`, ...limits })
    .where(eq(accounts.id, id))
    .returning({
      maxJobs: accounts.maxJobs,
      maxFailedExtractions: accounts.maxFailedExtractions,
      maxFailedPercent: accounts.maxFailedPercent,
    });
  if (!account) throw new Error(`there is no account ${id}`);
  return account;
}
