import { eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";

/** The days that an account may choose; null keeps the contents for ever (docs/decisions/0001, "Dashboard and accounts"). */
export const retentionChoices = [null, 30, 7, 1] as const;

export type RetentionDays = (typeof retentionChoices)[number];

/** Sets how long the contents of an account's finished jobs are kept, in days. Throws if the account does not exist. */
export async function setRetention(db: Db, id: string, retentionDays: RetentionDays): Promise<void> {
  const [account] = await db.update(accounts).set({ retentionDays }).where(eq(accounts.id, id)).returning();
  if (!account) throw new Error(`there is no account ${id}`);
}
