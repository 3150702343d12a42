import type { Limits } from "@video-to-json/contract";
import { type Db, eraseOldJobs } from "@video-to-json/database";

type EraseDeps = {
  readonly db: Db;
  /** How long the contents of a finished job are kept, in days; 0 for ever. */
  readonly retentionDays: number;
  readonly limits: Pick<Limits, "idempotencyHours">;
};

const batchSize = 200;

/**
 * Erases the contents of old jobs, in batches, until none is left or `stop`. An answer is kept as long as its idempotency
 * key is. Returns how many.
 */
export async function eraseOldContents(deps: EraseDeps, stop: AbortSignal): Promise<number> {
  const { db, retentionDays, limits } = deps;
  if (retentionDays === 0) return 0;
  const minAgeHours = Math.max(24 * retentionDays, limits.idempotencyHours);
  let erased = 0;
  for (;;) {
    const batch = await eraseOldJobs(db, { minAgeHours, limit: batchSize });
    erased += batch;
    if (batch < batchSize || stop.aborted) return erased;
  }
}
