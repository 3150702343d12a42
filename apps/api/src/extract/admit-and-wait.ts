import type { JobProgress } from "@video-to-json/contract";
import { findTicket, type JobRow } from "@video-to-json/database";
import type { Completions, JobQueue } from "@video-to-json/queue";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";
import { openAtOnce } from "../http/at-once.ts";
import type { Caller } from "../http/context.ts";
import { type Admission, type AdmitDeps, admitJob, CommitOutcomeUnknown, type Reuse } from "./admit-job.ts";
import type { ExtractRequest } from "./extract-request.ts";
import { type DiscardUploadDeps, discardUpload } from "./read-extract-request.ts";
import { problemOf, type WaitDeps, waitForJob } from "./wait-for-job.ts";

export type AdmitAndWaitDeps = AdmitDeps &
  WaitDeps &
  DiscardUploadDeps & {
    readonly queue: Pick<JobQueue, "enqueue" | "progress">;
    readonly completions: Pick<Completions, "watch">;
    readonly metrics: Pick<ApiMetrics, "jobsAdmitted">;
  };

export type Extraction = {
  readonly caller: Caller;
  readonly request: ExtractRequest;
  readonly reuse: Reuse;
  /**
   * Called as soon as the job that answers the request is known. With `unknown`, the job may not have been admitted.
   */
  onAdmitted(admission: Admission | { jobId: string; kind: "unknown" }): void;
  onProgress?(progress: JobProgress): void;
  /** Aborts when the caller has gone. That ends the wait and not the job. */
  readonly signal: AbortSignal;
};

/**
 * Turns a request into a job and waits until it has finished. Returns the succeeded job, or undefined if the caller has
 * gone. Throws the Problem that refused the request or the one that the job failed with.
 */
export async function admitAndWait(deps: AdmitAndWaitDeps, extraction: Extraction): Promise<JobRow | undefined> {
  const { caller, request } = extraction;
  const admission = await admitJob(deps, extraction).catch(async (error) => {
    // A job whose commit outcome is unknown may own the upload. If there is no such job, a worker's sweep deletes it.
    if (error instanceof CommitOutcomeUnknown) extraction.onAdmitted({ jobId: request.id, kind: "unknown" });
    else await discardUploadOf(deps, request);
    throw error;
  });
  extraction.onAdmitted(admission);
  deps.metrics.jobsAdmitted.inc({ kind: admission.kind });
  using _watch = watchProgress(deps, admission, extraction.onProgress);
  if (admission.kind === "new") await enqueue(deps, request.id);
  else await discardUploadOf(deps, request);
  // The number of new jobs has a limit of its own.
  using _wait = admission.kind === "joined" ? joinedWaits.begin(caller.accountId) : undefined;

  const job = { id: admission.jobId, accountId: caller.accountId };
  const isNew = admission.kind === "new";
  const msToDeadline = isNew ? deps.limits.jobTimeoutSeconds * 1000 : 0;
  const row = await waitForJob(deps, job, { signal: extraction.signal, msToDeadline, isNew });
  if (row?.status === "failed") throw problemOf(row);
  return row;
}

/** A caller that retries after each broken connection has a few open waits for one job. */
const joinedWaits = openAtOnce(50, "calls that wait for a job of another call");

/** Reports the progress of a job. A request that joins a running job gets its current stage at once. */
function watchProgress(
  deps: AdmitAndWaitDeps,
  { jobId, kind }: Admission,
  onProgress: Extraction["onProgress"],
): Disposable | undefined {
  if (!onProgress) return undefined;
  const current = kind === "joined" ? () => currentProgress(deps, jobId) : undefined;
  return deps.completions.watch(jobId, onProgress, current);
}

async function currentProgress({ db, queue }: AdmitAndWaitDeps, jobId: string): Promise<JobProgress | undefined> {
  const ticket = await findTicket(db, jobId);
  if (ticket === "fetching") return { stage: "obtaining" };
  const published = ticket && (await queue.progress(ticket.ticket));
  return published?.jobId === jobId ? published.progress : undefined;
}

async function discardUploadOf(deps: DiscardUploadDeps, { id, video }: ExtractRequest): Promise<void> {
  if ("upload" in video) await discardUpload(deps, id);
}

async function enqueue({ queue, log }: AdmitAndWaitDeps, id: string): Promise<void> {
  // The job's row is the truth. A worker's sweep enqueues jobs that the queue does not know.
  await queue.enqueue(id).catch((error) => log.warn({ err: error, jobId: id }, "cannot enqueue a job"));
}
