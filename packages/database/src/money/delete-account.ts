import type { ErrorInside } from "@video-to-json/contract";
import { lockAccount, markAccountDeleted } from "../accounts/accounts.ts";
import type { Db } from "../connection/open-database.ts";
import { deleteIdempotencyKeys } from "../idempotency/idempotency-keys.ts";
import { eraseUnkeptJobs } from "../jobs/erase-jobs.ts";
import { findOpenJobs } from "../jobs/jobs-of-service.ts";
import { failAndRelease } from "./cancel.ts";

/** A larger account is erased by the next run of the maintenance task. */
const maxBatches = 20;
const batchSize = 500;

/**
 * Deletes an account: its keys are refused at once, its open jobs fail with `error` and without charge, and the
 * contents of its jobs are erased, those of the oldest 10,000 before this function returns. The ledger and the hash of
 * the address in `free_grants` stay, so a new account of the same address gets no second free grant. Safe to repeat
 * (docs/decisions/0001, "Dashboard and accounts").
 *
 * @param account.onJobFailed is called for each job that this call failed.
 * @returns whether this call deleted the account; false if it does not exist or was deleted before.
 */
export async function deleteAccount(
  db: Db,
  { accountId, error, onJobFailed }: { accountId: string; error: ErrorInside; onJobFailed?(): void },
): Promise<boolean> {
  const deleted = await db.transaction(async (tx) => {
    // Admissions and holds need the same lock, so no job starts between these steps.
    await lockAccount(tx, accountId);
    let failed = 0;
    for (const jobId of await findOpenJobs(tx, accountId)) if (await failAndRelease(tx, { jobId, error })) failed++;
    await deleteIdempotencyKeys(tx, accountId);
    return { failed, isDeleted: await markAccountDeleted(tx, accountId) };
  });
  for (let job = 0; job < deleted.failed; job++) onJobFailed?.();
  for (let batch = 0; batch < maxBatches; batch++) {
    if ((await eraseUnkeptJobs(db, { accountId, limit: batchSize })) < batchSize) break;
  }
  return deleted.isDeleted;
}
