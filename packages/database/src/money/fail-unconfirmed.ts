import type { ErrorInside } from "@video-to-json/contract";
import { lockAccount } from "../accounts/lock-account.ts";
import type { Db } from "../connection/open-database.ts";
import { confirmJobs } from "../unconfirmed/confirm-jobs.ts";
import { failAndRelease } from "./fail-and-release.ts";

type UnconfirmedJob = { jobId: string; accountId: string; error: ErrorInside };

/**
 * Fails a job that is still unconfirmed, without charge: its API does not know whether the job started.
 * Changes nothing if the job does not exist or is confirmed. Safe to repeat. Returns whether this call
 * failed the job.
 */
export function failUnconfirmed(db: Db, { jobId, accountId, error }: UnconfirmedJob): Promise<boolean> {
  return db.transaction(async (tx) => {
    // An admission that is still committing holds this lock. Once we hold it, the job exists, or will never exist.
    await lockAccount(tx, accountId);
    const [unconfirmed] = await confirmJobs(tx, [jobId]);
    return unconfirmed !== undefined && failAndRelease(tx, { jobId, error });
  });
}
