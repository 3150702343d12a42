import { sql } from "drizzle-orm";
import type { Tx } from "../connection/open-database.ts";
import { idempotencyKeys } from "../tables/idempotency-keys.ts";

type Entry = { accountId: string; key: string; requestHash: string; jobId: string };

/** Binds an account's idempotency key to a job, and replaces any earlier binding. */
export async function saveIdempotencyKey(tx: Tx, entry: Entry): Promise<void> {
  const { requestHash, jobId } = entry;
  await tx
    .insert(idempotencyKeys)
    .values(entry)
    .onConflictDoUpdate({
      target: [idempotencyKeys.accountId, idempotencyKeys.key],
      set: { requestHash, jobId, createdAt: sql`now()` },
    });
}
