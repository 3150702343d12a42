import { inArray, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { dashboardCodes, dashboardSessions } from "../tables/sign-in.ts";

/** Deletes sessions and codes of the dashboard that have ended, `limit` of each at most. Returns how many. */
export async function deleteExpiredSignIns(db: Db, { limit }: { limit: number }): Promise<number> {
  let deleted = 0;
  for (const table of [dashboardSessions, dashboardCodes]) {
    const expired = db.select({ id: table.id }).from(table).where(lte(table.expiresAt, sql`now()`)).limit(limit);
    deleted += (await db.delete(table).where(inArray(table.id, expired)).returning({ id: table.id })).length;
  }
  return deleted;
}
