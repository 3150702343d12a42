import { and, asc, desc, eq, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { savedSchemas } from "../tables/accounts.ts";
import { lockAccount } from "./accounts.ts";

const { id, name, version, schemaText, instructions, createdAt } = savedSchemas;

/** A version of a saved schema, without its texts. */
export type SavedSchemaRow = { id: string; name: string; version: number; createdAt: Date };

type NewVersion = { accountId: string; name: string; schemaText: string; instructions: string | null };

/**
 * Saves the next version of an account's schema of this name. An earlier version never changes. Returns undefined if the
 * account has `maxVersions` already, of all names together.
 */
export async function saveSchema(
  db: Db,
  { maxVersions, ...schema }: NewVersion & { maxVersions: number },
): Promise<SavedSchemaRow | undefined> {
  const ofAccount = eq(savedSchemas.accountId, schema.accountId);
  return await db.transaction(async (tx) => {
    // Two pages may save the same name at once.
    await lockAccount(tx, schema.accountId);
    if ((await tx.$count(savedSchemas, ofAccount)) >= maxVersions) return undefined;
    const [last] = await tx
      .select({ version: sql<number>`coalesce(max(${version}), 0)::int` })
      .from(savedSchemas)
      .where(and(ofAccount, eq(name, schema.name)));
    const [row] = await tx
      .insert(savedSchemas)
      .values({ ...schema, version: (last?.version ?? 0) + 1 })
      .returning({ id, name, version, createdAt });
    return row;
  });
}

/** Returns all versions of an account's schemas, by name, the newest version first. */
export function listSavedSchemas(db: Db, accountId: string): Promise<SavedSchemaRow[]> {
  return db
    .select({ id, name, version, createdAt })
    .from(savedSchemas)
    .where(eq(savedSchemas.accountId, accountId))
    .orderBy(asc(name), desc(version));
}

type Wanted = { id: string; accountId: string };

/** Returns a version of an account's schema with its texts; undefined for one of another account. */
export async function findSavedSchema(db: Db, wanted: Wanted) {
  const [row] = await db
    .select({ id, name, version, createdAt, schemaText, instructions })
    .from(savedSchemas)
    .where(and(eq(id, wanted.id), eq(savedSchemas.accountId, wanted.accountId)));
  return row;
}

/** Deletes a version of an account's schema. Returns whether the account had it. */
export async function deleteSavedSchema(db: Db, wanted: Wanted): Promise<boolean> {
  const isOwn = and(eq(id, wanted.id), eq(savedSchemas.accountId, wanted.accountId));
  return (await db.delete(savedSchemas).where(isOwn).returning({ id })).length > 0;
}
