import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { accounts } from "../tables/accounts.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** The account of a key. `maxJobs` null means the default limit, MAX_JOBS_PER_ACCOUNT. */
export type KeyOwner = { accountId: string; email: string; keyId: string; maxJobs: number | null };

/**
 * Returns the account of a live key, by the key's SHA-256, or undefined. Records the time of use, at most once a minute.
 */
export async function findCallerByKey(db: Db, sha256: Buffer): Promise<KeyOwner | undefined> {
  const live = and(eq(apiKeys.sha256, sha256), isNull(apiKeys.revokedAt));
  const stale = sql`coalesce(${apiKeys.lastUsedAt} < now() - interval '1 minute', true)`;
  const used = db
    .$with("used")
    .as(db.update(apiKeys).set({ lastUsedAt: sql`now()` }).where(and(live, stale)).returning({ id: apiKeys.id }));
  const [owner] = await db
    .with(used)
    .select({ accountId: accounts.id, email: accounts.email, keyId: apiKeys.id, maxJobs: accounts.maxJobs })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(live);
  return owner;
}
