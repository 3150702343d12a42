import type { Limits } from "@video-to-json/contract";
import { type Db, deleteExpiredIdempotencyKeys, eraseOldJobs, eraseUnkeptJobs } from "@video-to-json/database";

const keysOfBatch = 1000;

/** Deletes the idempotency keys that are older than `maxAgeHours`, in batches. Returns how many. */
export async function deleteExpiredKeys(db: Db, maxAgeHours: number, stop: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await deleteExpiredIdempotencyKeys(db, { maxAgeHours, limit: keysOfBatch });
    deleted += batch;
    if (batch < keysOfBatch || stop.aborted) return deleted;
  }
}

type EraseDeps = {
  readonly db: Db;
  /** How long the contents of a finished job are kept, in days; 0 for ever. */
  readonly retentionDays: number;
  readonly limits: Pick<Limits, "idempotencyHours">;
};

const jobsOfBatch = 200;

/**
 * Erases the contents of old jobs in batches, until no old job is left or `stop` aborts. A job is old when its account
 * or the installation no longer keeps it. The installation keeps an answer as long as its idempotency key; an account
 * may choose less. Returns how many.
 */
export async function eraseOldContents(deps: EraseDeps, stop: AbortSignal): Promise<number> {
  const { db, retentionDays, limits } = deps;
  const unkept = await inBatches(() => eraseUnkeptJobs(db, { limit: jobsOfBatch }), stop);
  if (retentionDays === 0) return unkept;
  const minAgeHours = Math.max(24 * retentionDays, limits.idempotencyHours);
  return unkept + (await inBatches(() => eraseOldJobs(db, { minAgeHours, limit: jobsOfBatch }), stop));
}

async function inBatches(eraseBatch: () => Promise<number>, stop: AbortSignal): Promise<number> {
  let erased = 0;
  for (;;) {
    const batch = await eraseBatch();
    erased += batch;
    if (batch < jobsOfBatch || stop.aborted) return erased;
  }
}
