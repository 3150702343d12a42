import type { Sql } from "postgres";

/** A file of `migrations`: its statements, the hash of its text, and its time in milliseconds since 1970. */
export type Migration = { readonly sql: readonly string[]; readonly hash: string; readonly folderMillis: number };

type Deps = {
  readonly client: Sql;
  /** How long the statements of a migration may wait for locks in total, in milliseconds. */
  readonly lockMs: number;
};

/**
 * Applies a migration and records it, in one transaction. While a statement waits for a table, all others that need the
 * table wait behind it. So the wait is short, and the caller tries again after a pause. A migration with CONCURRENTLY
 * blocks nothing: its statements run one by one, outside a transaction, and may all run twice.
 *
 * @throws the server's error `lock_not_available` if the locks were not free in time. Nothing has changed then.
 */
export async function applyMigration({ client, lockMs }: Deps, migration: Migration): Promise<void> {
  if (migration.sql.some((statement) => /\bconcurrently\b/i.test(statement))) {
    for (const statement of migration.sql) await client.unsafe(statement);
    await record(client, migration);
    return;
  }
  await client.begin(async (tx) => {
    const endsAt = performance.now() + lockMs;
    for (const statement of migration.sql) {
      const leftMs = Math.max(1, Math.ceil(endsAt - performance.now()));
      await tx`select set_config('lock_timeout', ${String(leftMs)}, true)`;
      await tx.unsafe(statement);
    }
    await record(tx, migration);
  });
}

/** Returns whether the error means that a migration may succeed later, because its locks were not free. */
export function isLockMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["55P03", "40P01"].includes(String(error.code));
}

/** Returns the time of the newest applied migration; 0 without one. */
export async function newestMigration(client: Sql): Promise<number> {
  await client`create schema if not exists drizzle`;
  await client`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`;
  const [newest] = await client`select max(created_at) as at from drizzle.__drizzle_migrations`;
  return Number(newest?.at ?? 0);
}

async function record(client: Pick<Sql, "unsafe">, { hash, folderMillis }: Migration): Promise<void> {
  await client.unsafe("insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)", [
    hash,
    folderMillis,
  ]);
}
