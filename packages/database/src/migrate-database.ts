import { fileURLToPath } from "node:url";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { connect } from "./connection/connect.ts";

/** Beside `src`, and beside the directory of a bundle. */
const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** Different from every other advisory lock of this database. */
const lockId = 7_325_401;

/**
 * Applies the pending migrations to the database at `url`, in one transaction. Any number of processes may call it at
 * once: one migrates, the others wait for up to five minutes.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const { client, db } = connect(url, {
    max: 1,
    applicationName: "video-to-json migrate",
    statementSeconds: 0,
    lockSeconds: 300,
    lasting: true,
  });
  try {
    await client`select pg_advisory_lock(${lockId})`;
    await migrate(db, { migrationsFolder });
  } finally {
    // Closing the connection releases the lock, also after an error.
    await client.end({ timeout: 5 });
  }
}
