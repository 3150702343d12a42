import { fileURLToPath } from "node:url";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { connect } from "./connection/connect.ts";

/** Beside `src` here, and beside the folder of a bundle. */
const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));

/** Any number that no other advisory lock of this database uses. */
const lock = 7_325_401;

/**
 * Brings the database at `url` up to the checked-in migrations. Any number of processes may call it at once: one works,
 * the others wait up to five minutes and find it done. All pending migrations are one transaction.
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
    await client`select pg_advisory_lock(${lock})`;
    await migrate(db, { migrationsFolder });
  } finally {
    // Closing the one connection is what gives the lock back, whatever happened.
    await client.end({ timeout: 5 });
  }
}
