import { isUuid } from "@video-to-json/contract";
import { asc, eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** What may be shown of a key. */
export type KeyRow = {
  id: string;
  accountId: string;
  name: string;
  display: string;
  createdAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
};

const columns = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  display: apiKeys.display,
  createdAt: apiKeys.createdAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
};

/** Returns all keys of an account, revoked ones too, oldest first. */
export function listKeys(db: Db, accountId: string): Promise<KeyRow[]> {
  return db
    .select(columns)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}

/** Returns the keys with this id, or with these displayed first characters. */
export function findKeysNamed(db: Db, idOrDisplay: string): Promise<KeyRow[]> {
  return db
    .select(columns)
    .from(apiKeys)
    .where(isUuid(idOrDisplay) ? eq(apiKeys.id, idOrDisplay) : eq(apiKeys.display, idOrDisplay));
}
