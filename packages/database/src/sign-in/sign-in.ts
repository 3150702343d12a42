import { randomBytes } from "node:crypto";
import { eq, inArray, lt, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { dashboardCodes, dashboardSessions, freeGrantCounts, serviceSecrets } from "../tables/sign-in.ts";

/**
 * Returns the secret that signs the cookies of sessions, 256 bits. The first process that asks creates it; all others
 * get the same one.
 */
export async function sessionSecret(db: Db): Promise<string> {
  const name = "sessions";
  const value = randomBytes(32).toString("base64url");
  await db.insert(serviceSecrets).values({ name, value }).onConflictDoNothing();
  const [secret] = await db.select().from(serviceSecrets).where(eq(serviceSecrets.name, name));
  if (!secret) throw new Error("the secret of the sessions was not stored");
  return secret.value;
}

/**
 * Deletes sessions and codes of the dashboard that have ended, `limit` of each at most, and the counts of grants of
 * earlier days. Returns how many sessions and codes.
 */
export async function deleteExpiredSignIns(db: Db, { limit }: { limit: number }): Promise<number> {
  await db.delete(freeGrantCounts).where(lt(freeGrantCounts.day, sql`(now() at time zone 'utc')::date`));
  let deleted = 0;
  for (const table of [dashboardSessions, dashboardCodes]) {
    const expired = db.select({ id: table.id }).from(table).where(lte(table.expiresAt, sql`now()`)).limit(limit);
    deleted += (await db.delete(table).where(inArray(table.id, expired)).returning({ id: table.id })).length;
  }
  return deleted;
}
