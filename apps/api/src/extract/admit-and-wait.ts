import { randomUUID } from "node:crypto";
import type { JobProgress } from "@video-to-json/contract";
import type { JobRow } from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";
import type { Storage } from "@video-to-json/storage";
import type { Logger } from "@video-to-json/telemetry";
import type { Caller } from "../caller/authenticate.ts";
import { type Admission, admitJob, CommitOutcomeUnknown, type SameAs } from "./admit-job.ts";
import { awaitAnswer, problemOf } from "./await-answer.ts";
import type { Received } from "./extract-request.ts";
import { validateRequest } from "./validate-request.ts";

type Deps = Parameters<typeof validateRequest>[0] &
  Parameters<typeof admitJob>[0] &
  Parameters<typeof awaitAnswer>[0] & {
    readonly storage: Pick<Storage, "delete">;
    readonly queue: Pick<JobQueue, "enqueue">;
    readonly log: Pick<Logger, "warn">;
  };

type Call = {
  caller: Caller;
  same: SameAs;
  /** Reads the request; an upload goes to storage under the id. */
  receive(id: string): Promise<Received>;
  /** Hears of the job as soon as there is one. */
  onAdmitted(admission: Admission): void;
  onProgress?(progress: JobProgress): void;
  /** Aborts when the caller is gone: that ends the wait and not the job. */
  signal: AbortSignal;
};

/**
 * What both doors do with an extraction: read, judge, admit, wake the workers, wait for the end. Gives the succeeded
 * job, or undefined when the caller went away. Throws the Problem that refused the request or ended the job.
 */
export async function admitAndWait(deps: Deps, call: Call): Promise<JobRow | undefined> {
  const { jobId, kind } = await admit(deps, call);
  if (kind === "new") await wakeWorkers(deps, jobId);
  const row = await awaitAnswer(deps, { id: jobId, accountId: call.caller.accountId }, call);
  if (row?.status === "failed") throw problemOf(row);
  return row;
}

/** The upload of a job that was admitted, or may have been, is the workers' to delete; any other is deleted here. */
async function admit(deps: Deps, { caller, same, receive, onAdmitted }: Call): Promise<Admission> {
  const id = randomUUID();
  let ours = true;
  try {
    const request = validateRequest(deps, await receive(id));
    const admission = await admitJob(deps, { id, caller, request, same });
    ours = admission.kind !== "new";
    onAdmitted(admission);
    return admission;
  } catch (error) {
    ours = !(error instanceof CommitOutcomeUnknown);
    throw error;
  } finally {
    // A storage that cannot delete must not hide what the request is answered; a sweeper deletes it later.
    if (ours) await deps.storage.delete(id).catch((error) => deps.log.warn({ err: error }, "an upload is left over"));
  }
}

async function wakeWorkers({ queue, log }: Deps, id: string): Promise<void> {
  // Postgres holds the job; without the queue a sweeper finds it a little later.
  await queue.enqueue(id).catch((error) => log.warn({ err: error, jobId: id }, "the queue did not take the job"));
}
