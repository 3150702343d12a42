import { createHash, randomBytes, randomUUID } from "node:crypto";
import { and, desc, eq, gt, inArray, lt, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import {
  dashboardCodes,
  dashboardPasskeys,
  dashboardSessions,
  dashboardUsers,
  freeGrantCounts,
  serviceSecrets,
} from "../tables/sign-in.ts";

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

/** A live session of a browser. `updatedAt` is when it was last used, accurate to one day. */
export type SessionRow = { id: string; createdAt: Date; updatedAt: Date; expiresAt: Date };

/** Returns the live sessions of an account, newest first. */
export async function listSessions(db: Db, accountId: string): Promise<SessionRow[]> {
  const { id, createdAt, updatedAt, expiresAt } = dashboardSessions;
  return db
    .select({ id, createdAt, updatedAt, expiresAt })
    .from(dashboardSessions)
    .innerJoin(dashboardUsers, eq(dashboardUsers.id, dashboardSessions.userId))
    .where(and(eq(dashboardUsers.accountId, accountId), gt(expiresAt, sql`now()`)))
    .orderBy(desc(createdAt));
}

/** Ends a session of an account. Returns whether the account had it. */
export async function endSession(db: Db, { id, accountId }: { id: string; accountId: string }): Promise<boolean> {
  const isOwn = and(eq(dashboardSessions.id, id), inArray(dashboardSessions.userId, usersOf(db, accountId)));
  return (await db.delete(dashboardSessions).where(isOwn).returning({ id: dashboardSessions.id })).length > 0;
}

/** A passkey, as its owner sees it. */
export type PasskeyRow = { id: string; name: string; createdAt: Date };

/** Returns the passkeys of an account, newest first. */
export async function listPasskeys(db: Db, accountId: string): Promise<PasskeyRow[]> {
  const { id, name, createdAt, userId } = dashboardPasskeys;
  return db
    .select({ id, name, createdAt })
    .from(dashboardPasskeys)
    .where(inArray(userId, usersOf(db, accountId)))
    .orderBy(desc(createdAt));
}

/** Removes a passkey of an account. Returns whether the account had it. */
export async function removePasskey(db: Db, { id, accountId }: { id: string; accountId: string }): Promise<boolean> {
  const isOwn = and(eq(dashboardPasskeys.id, id), inArray(dashboardPasskeys.userId, usersOf(db, accountId)));
  return (await db.delete(dashboardPasskeys).where(isOwn).returning({ id: dashboardPasskeys.id })).length > 0;
}

function usersOf(db: Db, accountId: string) {
  return db.select({ id: dashboardUsers.id }).from(dashboardUsers).where(eq(dashboardUsers.accountId, accountId));
}

/**
 * Keeps what a person agreed to for a host, beside the codes of the sign-in, which end and are deleted alike. Returns the
 * code that fetches it once. Only its hash is stored.
 */
export async function saveConsent(db: Db, value: object, { seconds }: { seconds: number }): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await db.insert(dashboardCodes).values({
    id: randomUUID(),
    identifier: consentName(code),
    value: JSON.stringify(value),
    expiresAt: sql`now() + make_interval(secs => ${seconds})`,
    createdAt: sql`now()`,
    updatedAt: sql`now()`,
  });
  return code;
}

/** Removes what a person agreed to and returns it; undefined for a code that is unknown, was used, or has ended. */
export async function takeConsent(db: Db, code: string): Promise<unknown> {
  const [taken] = await db
    .delete(dashboardCodes)
    .where(and(eq(dashboardCodes.identifier, consentName(code)), gt(dashboardCodes.expiresAt, sql`now()`)))
    .returning({ value: dashboardCodes.value });
  return taken && JSON.parse(taken.value);
}

/** The library names its codes by bare hashes, so no code of the sign-in has such a name. */
function consentName(code: string): string {
  return `consent ${createHash("sha256").update(code).digest("base64url")}`;
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
