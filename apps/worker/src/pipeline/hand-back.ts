import { type ClaimedJob, type Db, handBackJob, retryWhileUnavailable } from "@video-to-json/database";
import { TicketLost } from "@video-to-json/queue";
import type { Logger } from "@video-to-json/runtime/telemetry";

type HandBackDeps = { readonly db: Db; readonly log: Pick<Logger, "warn"> };

/**
 * Returns a function that hands back the claim of a run. It also runs as soon as `signal` aborts, because the rest of
 * the run may outlast this process. Later calls wait for the first one. Never rejects. The claim of a job that another
 * claim has taken stays: a job that holds up each of its workers must end (docs/decisions/0001, "Nothing that a stranger
 * wrote runs unbounded").
 */
export function openHandBack({ db, log }: HandBackDeps, job: ClaimedJob, signal: AbortSignal): () => Promise<void> {
  let handedBack: Promise<void> | undefined;
  const handBack = () => {
    handedBack ??= retryWhileUnavailable(() => handBackJob(db, job)).catch((error) =>
      log.warn({ err: error }, "claim not handed back; the job has one more failed claim"),
    );
    return handedBack;
  };
  const onAbort = () => {
    if (!(signal.reason instanceof TicketLost)) void handBack();
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return handBack;
}
