import type { Limits } from "@video-to-json/contract";
import { type Db, deleteOldIdempotencyKeys } from "@video-to-json/database";

type Deps = { readonly db: Db; readonly limits: Pick<Limits, "idempotencyHours"> };

const limit = 1000;

/** Deletes Idempotency-Keys that no request is compared with any more, a batch at a time. Gives how many. */
export async function forgetOldKeys({ db, limits }: Deps, stop: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = await deleteOldIdempotencyKeys(db, { olderThanHours: limits.idempotencyHours, limit });
    deleted += batch;
    if (batch < limit || stop.aborted) return deleted;
  }
}
