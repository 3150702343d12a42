import type { Tx } from "./open-database.ts";
import { runStatement } from "./run-statement.ts";

/** Limits how long later statements of the transaction wait for a lock, to `ms` milliseconds. The default is 15 s. */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await runStatement(tx, "select set_config('lock_timeout', $1, true)", [String(ms)], { withBegin: true });
}
