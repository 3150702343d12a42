import type { AnalysisProvider } from "@video-to-json/analysis";
import { type Db, findJobStates, findJobsToCleanUp, markCleanedUp } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Storage } from "@video-to-json/storage";
import { deleteUploads } from "./delete-uploads.ts";

export type FinishedVideoDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "delete">;
  readonly provider: Pick<AnalysisProvider, "deleteCopies">;
  readonly log: Pick<Logger, "warn">;
};

/** A live worker deletes the video of its own job within this time. */
const minAgeMs = 15_000;
/** Every run meets the uploads that cannot be deleted first, so the limit leaves room for many of them. */
const limit = 1_000;
const maxProviderMs = 60_000;

/**
 * Deletes the videos that crashed workers left: the uploads of finished jobs, and every provider copy of a finished
 * job, even one that appeared after the job was marked as clean.
 *
 * @returns the number of jobs it cleaned up plus the number of provider copies it deleted.
 */
export async function deleteFinishedVideos(deps: FinishedVideoDeps, stop: AbortSignal): Promise<number> {
  const { db, provider } = deps;
  const finished = await deleteUploads(deps, await findJobsToCleanUp(db, { minAgeMs, limit }));
  const signal = AbortSignal.any([stop, AbortSignal.timeout(maxProviderMs)]);
  // A stopping worker sends no further requests to the provider.
  signal.throwIfAborted();
  const copies = await provider.deleteCopies((ids) => finishedAmong(db, ids), signal);
  for (const id of finished) await markCleanedUp(db, id);
  return finished.length + copies;
}

/** Unknown ids are left out, because another installation may use the same provider account. */
async function finishedAmong(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  const known = await findJobStates(db, ids);
  return new Set(known.filter(({ status }) => status === "succeeded" || status === "failed").map(({ id }) => id));
}
