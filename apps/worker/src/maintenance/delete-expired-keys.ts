import { type Db, deleteExpiredIdempotencyKeys } from "@video-to-json/database";

const batchSize = 1000;

/** Deletes the idempotency keys that are older than `maxAgeHours`, in batches. Returns how many. */
export async function deleteExpiredKeys(db: Db, maxAgeHours: number, stop: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await deleteExpiredIdempotencyKeys(db, { maxAgeHours, limit: batchSize });
    deleted += batch;
    if (batch < batchSize || stop.aborted) return deleted;
  }
}
