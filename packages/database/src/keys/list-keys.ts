import { isUuid } from "@video-to-json/contract";
import { asc, eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";

/** A key as it may be shown; dates null when it was never revoked, never used. */
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

/** All keys of an account, oldest first, revoked ones included. */
export function listKeys(db: Db, accountId: string): Promise<KeyRow[]> {
  return db
    .select(columns)
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}

/** The keys that a person may mean: by id, or by the first characters that are shown of them. */
export function findKeysNamed(db: Db, idOrDisplay: string): Promise<KeyRow[]> {
  return db
    .select(columns)
    .from(apiKeys)
    .where(isUuid(idOrDisplay) ? eq(apiKeys.id, idOrDisplay) : eq(apiKeys.display, idOrDisplay));
}
