import { createApiKey, isUuid, type KeyScope, Problem } from "@video-to-json/contract";
import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys, type KeyNeed } from "../tables/accounts.ts";
import { monthStartText } from "./key-limit.ts";

/** The rights and limits of a key. */
export type KeyLimits = {
  /** `extract` by default. */
  scope?: KeyScope;
  /** How many minutes its jobs may cost in a calendar month (UTC); unlimited by default. */
  monthlyMinutes?: number | null;
  /** The key is refused from this time on; never by default. */
  endsAt?: Date | null;
};

type StoredKey = KeyLimits & { accountId: string; name: string; sha256: Buffer; display: string };

/** Stores the SHA-256 of a key (32 bytes) and its first characters, never the key. */
export async function insertKey(db: Db, key: StoredKey): Promise<{ id: string; createdAt: Date }> {
  const { scope, monthlyMinutes, endsAt } = key;
  const limits = { scope: scope === "read", monthly_limit: monthlyMinutes, end: endsAt } satisfies Record<
    KeyNeed,
    unknown
  >;
  const needs = (Object.keys(limits) as KeyNeed[]).filter((need) => limits[need]);
  const [row] = await db
    .insert(apiKeys)
    .values({ ...key, needs })
    .returning({ id: apiKeys.id, createdAt: apiKeys.createdAt });
  if (!row) throw new Error("the key was not stored");
  return row;
}

type NewKey = KeyLimits & {
  accountId: string;
  /** The name of the key; 1 to 100 characters. */
  name: string;
  /** The text before `_live_`. */
  keyPrefix: string;
};

/** A key that was created. `key` is shown once and stored nowhere. */
export type CreatedKey = { id: string; key: string; display: string; createdAt: Date };

const maxNameLength = 100;
const maxMonthlyMinutes = 1_000_000;

/**
 * Creates an API key of an account (specification, "Authentication"; docs/decisions/0001, "Dashboard and accounts").
 *
 * @throws Problem `invalid_request` if the name is empty or too long, if the limit is not a whole number of minutes
 *   from 1 to 1,000,000, or if the end is not in the future.
 * @example
 * const { key } = await createKey(db, { accountId, name: "CI", keyPrefix: "v2j", scope: "read" });
 */
export async function createKey(db: Db, { keyPrefix, ...given }: NewKey): Promise<CreatedKey> {
  const name = given.name.trim();
  const { monthlyMinutes = null, endsAt = null } = given;
  if (name === "" || name.length > maxNameLength || /\p{C}/u.test(name)) {
    throw new Problem("invalid_request", {
      reason: `The name of a key has 1 to ${maxNameLength} characters that can be printed. Give another one.`,
    });
  }
  if (monthlyMinutes !== null && !isWithin(monthlyMinutes, maxMonthlyMinutes)) {
    throw new Problem("invalid_request", {
      reason: `A monthly limit is a whole number of minutes from 1 to ${maxMonthlyMinutes}. Give another one.`,
    });
  }
  if (endsAt !== null && !(endsAt.getTime() > Date.now())) {
    throw new Problem("invalid_request", { reason: "The end of a key is a time in the future. Give another one." });
  }
  const { key, sha256, display } = createApiKey(keyPrefix);
  const stored = await insertKey(db, { ...given, name, monthlyMinutes, endsAt, sha256, display });
  return { ...stored, key, display };
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

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

/**
 * Revokes a key of an account. The next request with it is refused. Returns whether the key was live: false for a key
 * of another account.
 */
export async function revokeKey(db: Db, key: { id: string; accountId: string }): Promise<boolean> {
  const revoked = await db
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(apiKeys.id, key.id), eq(apiKeys.accountId, key.accountId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.length > 0;
}
