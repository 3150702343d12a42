import { fileURLToPath } from "node:url";
import { retry } from "@video-to-json/runtime/timing";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Sql } from "postgres";
import { connect } from "./connection/connect.ts";

/** A file of `migrations`: its statements, the hash of its text, and its time in milliseconds since 1970. */
type Migration = { readonly sql: readonly string[]; readonly hash: string; readonly folderMillis: number };

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
async function applyMigration({ client, lockMs }: Deps, migration: Migration): Promise<void> {
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
function isLockMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["55P03", "40P01"].includes(String(error.code));
}

/** Returns the time of the newest applied migration; 0 without one. */
async function newestMigration(client: Sql): Promise<number> {
  await client`create schema if not exists drizzle`;
  await client`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint)`;
  const [newest] = await client`select max(created_at) as at from drizzle.__drizzle_migrations`;
  return Number(newest?.at ?? 0);
}

/** Throws if the tables are of a state before the first release: its migrations were others. */
async function refuseUnreleased(client: Sql, first: Migration | undefined): Promise<void> {
  const at = first?.folderMillis ?? 0;
  const [row] =
    await client`select exists (select from drizzle.__drizzle_migrations where created_at = ${at}) as known`;
  if (row?.known) return;
  throw new Error(
    'This database was made before release 0.1.0 and cannot be migrated. docs/upgrades-and-backups.md, "From before 0.1.0", says how to move its accounts, keys and ledger into a new one.',
  );
}

/** Throws if the database cannot store the texts of all languages. SQL_ASCII stores their bytes as they are. */
async function refuseEncoding(client: Sql): Promise<void> {
  const [row] = await client`select current_setting('server_encoding') as encoding`;
  if (["UTF8", "SQL_ASCII"].includes(row?.encoding)) return;
  throw new Error(
    `The encoding of this database is ${row?.encoding}, which cannot store the letters of most languages. Create the database with UTF8: createdb --encoding=UTF8 --template=template0.`,
  );
}

async function record(client: Pick<Sql, "unsafe">, { hash, folderMillis }: Migration): Promise<void> {
  await client.unsafe("insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)", [
    hash,
    folderMillis,
  ]);
}

/** Beside `src`, and beside the directory of a bundle. */
const ownMigrations = fileURLToPath(new URL("../migrations", import.meta.url));

/** Different from every other advisory lock of this database. */
const lockId = 7_325_401;
const patienceMs = 300_000;
/** How long a migration may keep traffic waiting, in milliseconds. */
const lockMs = 3_000;

class OtherMigrates extends Error {
  constructor() {
    super("another process has been migrating the database for five minutes");
    this.name = "OtherMigrates";
  }
}

/**
 * Applies the pending migrations to the database at `url`, each in its own transaction. Any number of processes may
 * call it at once: one migrates, the others wait for up to five minutes. Traffic continues: a migration that cannot
 * lock its tables within three seconds releases them, and is tried again for up to five minutes.
 *
 * @param migrationsFolder is for tests; the migrations of this package by default.
 */
export async function migrateDatabase(url: string, migrationsFolder = ownMigrations): Promise<void> {
  const { client } = connect(url, {
    max: 1,
    applicationName: "video-to-json migrate",
    statementSeconds: 0,
    lockSeconds: patienceMs / 1000,
    lasting: true,
  });
  try {
    await lockMigrations(client);
    await refuseEncoding(client);
    const newest = await newestMigration(client);
    const migrations = readMigrationFiles({ migrationsFolder });
    if (newest > 0) await refuseUnreleased(client, migrations[0]);
    for (const migration of migrations) {
      if (migration.folderMillis <= newest) continue;
      await retry(() => applyMigration({ client, lockMs }, migration), {
        minDelayMs: 1_000,
        maxDelayMs: 10_000,
        maxElapsedMs: patienceMs,
        isTransient: isLockMissing,
      });
    }
  } finally {
    // Closing the connection releases the lock, also after an error.
    await client.end({ timeout: 5 });
  }
}

/** A statement that waits for the lock would block the concurrent build of an index. So this polls. */
async function lockMigrations(client: Sql): Promise<void> {
  const lock = async () => {
    const [row] = await client`select pg_try_advisory_lock(${lockId}) as locked`;
    if (!row?.locked) throw new OtherMigrates();
  };
  await retry(lock, {
    minDelayMs: 50,
    maxDelayMs: 1_000,
    maxElapsedMs: patienceMs,
    isTransient: (error) => error instanceof OtherMigrates,
  });
}
