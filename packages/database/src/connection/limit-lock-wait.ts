import { sql } from "drizzle-orm";
import type { Tx } from "./open-database.ts";

/** Lets no later statement of the transaction wait for a lock longer than `ms` milliseconds. The default is 15 s. */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('lock_timeout', ${String(ms)}, true)`);
}
