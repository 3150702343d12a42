import { isUuid, type KeyScope } from "@video-to-json/contract";
import { asc, eq, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";
import { monthStartText } from "./key-limit.ts";

/** The parts of a key that may be shown. */
export type KeyRow = {
  id: string;
  accountId: string;
  name: string;
  /** Its first characters. */
  display: string;
  scope: KeyScope;
  /** The limit of minutes in a calendar month (UTC); null means none. */
  monthlyMinutes: number | null;
  endsAt: Date | null;
  createdAt: Date;
  revokedAt: Date | null;
  /** Accurate to one minute. */
  lastUsedAt: Date | null;
  /** A revoked key stays `revoked` after its end. */
  state: "live" | "ended" | "revoked";
  /** The price of its jobs in this month (UTC), without open holds. */
  secondsThisMonth: number;
};

/** Returns all keys of an account, revoked ones too, oldest first. */
export function listKeys(db: Db, accountId: string): Promise<KeyRow[]> {
  return keysWhere(db, eq(apiKeys.accountId, accountId));
}

/** Returns the keys with this id, or with these displayed first characters. */
export function findKeysNamed(db: Db, idOrDisplay: string): Promise<KeyRow[]> {
  return keysWhere(db, isUuid(idOrDisplay) ? eq(apiKeys.id, idOrDisplay) : eq(apiKeys.display, idOrDisplay));
}

function keysWhere(db: Db, condition: SQL): Promise<KeyRow[]> {
  return db
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      name: apiKeys.name,
      display: apiKeys.display,
      scope: apiKeys.scope,
      monthlyMinutes: apiKeys.monthlyMinutes,
      endsAt: apiKeys.endsAt,
      createdAt: apiKeys.createdAt,
      revokedAt: apiKeys.revokedAt,
      lastUsedAt: apiKeys.lastUsedAt,
      state: sql<KeyRow["state"]>`case when revoked_at is not null then 'revoked'
        when ends_at <= now() then 'ended' else 'live' end`,
      secondsThisMonth: sql`(select coalesce(sum(seconds), 0) from daily_usage
        where account_id = api_keys.account_id and key_id = api_keys.id and day >= ${sql.raw(monthStartText)})`.mapWith(
        Number,
      ),
    })
    .from(apiKeys)
    .where(condition)
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}
