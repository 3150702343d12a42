import { createApiKey, isUuid, type KeyScope, Problem } from "@video-to-json/contract";
import { and, asc, eq, gte, isNull, lte, type SQL, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/accounts.ts";
import type { Db, Tx } from "../connection/open-database.ts";
import { apiKeys, type KeyNeed } from "../tables/accounts.ts";
import { dailyUsage } from "../tables/money.ts";
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

type StoredKey = KeyLimits & {
  accountId: string;
  name: string;
  sha256: Buffer;
  display: string;
  /** The key that it replaces, and the first key of these rotations. */
  replacesId?: string;
  lineId?: string | null;
  /** The id and the time of an API key that a replayed change names; new ones by default. */
  id?: string;
  createdAt?: Date;
};

/** Returns what an API must understand for a key with these limits. */
function needsOf({ scope, monthlyMinutes, endsAt, lineId }: KeyLimits & { lineId?: string | null }): KeyNeed[] {
  const limits = {
    scope: scope === "read",
    monthly_limit: monthlyMinutes,
    end: endsAt,
    shared_limit: monthlyMinutes && lineId,
  } satisfies Record<KeyNeed, unknown>;
  return (Object.keys(limits) as KeyNeed[]).filter((need) => limits[need]);
}

/** Stores the SHA-256 of a key (32 bytes) and its first characters, never the key. */
export async function insertKey(db: Db, key: StoredKey): Promise<{ id: string; createdAt: Date }> {
  const [row] = await db
    .insert(apiKeys)
    .values({ ...key, needs: needsOf(key) })
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
  const checked = checkKey(given);
  const { key, sha256, display } = createApiKey(keyPrefix);
  const stored = await insertKey(db, { ...given, ...checked, sha256, display });
  return { ...stored, key, display };
}

/** Returns the name and the limits as they are stored. Throws invalid_request as `createKey` does. */
function checkKey(given: Pick<NewKey, "name" | "monthlyMinutes" | "endsAt">) {
  const name = given.name.trim();
  const { monthlyMinutes = null, endsAt = null } = given;
  if (name === "" || name.length > maxNameLength || /\p{C}/u.test(name)) {
    throw new Problem("invalid_request", {
      reason: `The name of a key has 1 to ${maxNameLength} characters that can be printed. Give another one.`,
    });
  }
  if (
    monthlyMinutes !== null &&
    !(Number.isInteger(monthlyMinutes) && monthlyMinutes >= 1 && monthlyMinutes <= maxMonthlyMinutes)
  ) {
    throw new Problem("invalid_request", {
      reason: `A monthly limit is a whole number of minutes from 1 to ${maxMonthlyMinutes}. Give another one.`,
    });
  }
  if (endsAt !== null && !(endsAt.getTime() > Date.now())) {
    throw new Problem("invalid_request", { reason: "The end of a key is a time in the future. Give another one." });
  }
  return { name, monthlyMinutes, endsAt };
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
  /** The price of its jobs in this month (UTC), with the keys of its rotations, without open holds. */
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
        where account_id = api_keys.account_id and day >= ${sql.raw(monthStartText)}
        and key_id in (select line.id from api_keys line where line.account_id = api_keys.account_id
        and coalesce(line.line_id, line.id) = coalesce(api_keys.line_id, api_keys.id)))`.mapWith(Number),
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

/** Why a key was not changed: it is unknown to the account, not live any more, or was rotated before. */
export type KeyRefusal = "unknown" | "over" | "rotated";

type KeyChange = { id: string; accountId: string; name: string; monthlyMinutes: number | null; endsAt: Date | null };

/**
 * Changes a live key of an account: it gets another name, monthly limit and end. Its scope never changes. What it used this month
 * stays counted. The limits hold from the next admission on. Throws invalid_request as `createKey` does.
 */
export function changeKey(db: Db, { id, accountId, ...change }: KeyChange): Promise<KeyRefusal | "changed"> {
  const checked = checkKey(change);
  return db.transaction(async (tx) => {
    const key = await lockLiveKey(tx, { id, accountId });
    if (typeof key === "string") return key;
    const needs = needsOf({ ...key, ...checked });
    await tx
      .update(apiKeys)
      .set({ ...checked, needs })
      .where(eq(apiKeys.id, id));
    return "changed";
  });
}

type Rotation = {
  id: string;
  accountId: string;
  keyPrefix: string;
  /** How long the old key works beside the new one. */
  overlapSeconds: number;
};

/**
 * Replaces a live key by a new one with the same name, scope, limit and end. The old key ends after the overlap, or at its
 * own end if that is earlier. Both have one count of the month, so a rotation does not double the limit. A key is rotated
 * once: again only after its new key was revoked.
 */
export function rotateKey(
  db: Db,
  { id, accountId, keyPrefix, overlapSeconds }: Rotation,
): Promise<KeyRefusal | CreatedKey> {
  return db.transaction(async (tx) => {
    const old = await lockLiveKey(tx, { id, accountId });
    if (typeof old === "string") return old;
    const rotated = and(eq(apiKeys.replacesId, id), isNull(apiKeys.revokedAt));
    if ((await tx.$count(apiKeys, rotated)) > 0) return "rotated";
    const { name, scope, monthlyMinutes, endsAt } = old;
    const { key, sha256, display } = createApiKey(keyPrefix);
    const limits = { scope, monthlyMinutes, endsAt, replacesId: id, lineId: old.lineId ?? id };
    const stored = await insertKey(tx, { accountId, name, sha256, display, ...limits });
    await tx
      .update(apiKeys)
      .set({
        endsAt: sql`least(ends_at, clock_timestamp() + make_interval(secs => ${overlapSeconds}))`,
        needs: needsOf({ ...old, endsAt: new Date() }),
      })
      .where(eq(apiKeys.id, id));
    return { ...stored, key, display };
  });
}

/** Locks the account, so that changes of its keys come one after the other, and returns the key if it is live. */
async function lockLiveKey(tx: Tx, { id, accountId }: { id: string; accountId: string }) {
  await lockAccount(tx, accountId);
  const [key] = await tx
    .select({
      name: apiKeys.name,
      scope: apiKeys.scope,
      monthlyMinutes: apiKeys.monthlyMinutes,
      endsAt: apiKeys.endsAt,
      lineId: apiKeys.lineId,
      isLive: sql<boolean>`revoked_at is null and coalesce(ends_at > clock_timestamp(), true)`,
    })
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId)));
  if (!key) return "unknown";
  return key.isLive ? key : "over";
}

/** The price of one key's jobs on one day. */
export type DailyUsage = {
  /** `YYYY-MM-DD`, in UTC, by the time of the debits. */
  day: string;
  /** Null: jobs without a key. */
  keyId: string | null;
  seconds: number;
  /** How many jobs were charged. */
  jobs: number;
};

type Query = {
  accountId: string;
  /** The first and the last day, `YYYY-MM-DD`, in UTC. */
  fromDay: string;
  toDay: string;
};

/**
 * Returns the price of an account's jobs by day and key, oldest day first. Days and keys without a charge are left out.
 */
export function listDailyUsage(db: Db, { accountId, fromDay, toDay }: Query): Promise<DailyUsage[]> {
  return db
    .select({ day: dailyUsage.day, keyId: dailyUsage.keyId, seconds: dailyUsage.seconds, jobs: dailyUsage.jobs })
    .from(dailyUsage)
    .where(and(eq(dailyUsage.accountId, accountId), gte(dailyUsage.day, fromDay), lte(dailyUsage.day, toDay)))
    .orderBy(asc(dailyUsage.day), asc(dailyUsage.keyId));
}
