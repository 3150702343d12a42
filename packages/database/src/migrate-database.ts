import { fileURLToPath } from "node:url";
import { retry } from "@video-to-json/runtime/timing";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Sql } from "postgres";
import { applyMigration, isLockMissing, newestMigration } from "./apply-migration.ts";
import { connect } from "./connection/connect.ts";

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
    const newest = await newestMigration(client);
    for (const migration of readMigrationFiles({ migrationsFolder })) {
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
