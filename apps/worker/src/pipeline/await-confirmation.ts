import { setTimeout as sleep } from "node:timers/promises";
import { type ClaimedJob, type Db, isJobConfirmed, retryWhileUnavailable } from "@video-to-json/database";

const checkMs = 500;

/**
 * Waits until the job's API has confirmed that the admission committed. It normally does so at once. Without the
 * confirmation it is unknown whether the caller knows the job, so nothing is held and the job fails soon
 * (docs/decisions/0010). Throws the reason of `signal`.
 */
export async function awaitConfirmation({ db }: { readonly db: Db }, job: ClaimedJob, signal: AbortSignal) {
  while (!(await retryWhileUnavailable(() => isJobConfirmed(db, job.id)))) {
    await sleep(checkMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
