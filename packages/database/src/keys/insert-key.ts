import type { KeyScope } from "@video-to-json/contract";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** The rights and limits of a key. */
export type KeyLimits = {
  /** `extract` by default. */
  scope?: KeyScope;
  /** How many minutes its jobs may cost in a calendar month (UTC); unlimited by default. */
  monthlyMinutes?: number | null;
  /** The key is refused from this time on; never by default. */
  endsAt?: Date | null;
};

type NewKey = KeyLimits & { accountId: string; name: string; sha256: Buffer; display: string };

/** Stores the SHA-256 of a key (32 bytes) and its first characters, never the key. */
export async function insertKey(db: Db, key: NewKey): Promise<{ id: string; createdAt: Date }> {
  const [row] = await db.insert(apiKeys).values(key).returning({ id: apiKeys.id, createdAt: apiKeys.createdAt });
  if (!row) throw new Error("the key was not stored");
  return row;
}
