import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

type NewKey = { accountId: string; name: string; sha256: Buffer; display: string };

/** Stores the SHA-256 of a key (32 bytes) and its first characters, never the key. */
export async function insertKey(db: Db, key: NewKey): Promise<{ id: string }> {
  const [row] = await db.insert(apiKeys).values(key).returning({ id: apiKeys.id });
  if (!row) throw new Error("the key was not stored");
  return row;
}
