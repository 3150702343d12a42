import type { AnalysisProvider } from "@video-to-json/analysis";
import { type Db, findJobStates, findJobsToCleanUp, markCleanedUp } from "@video-to-json/database";
import type { Storage } from "@video-to-json/storage";
import type { Logger } from "@video-to-json/telemetry";
import { deleteUploads } from "./delete-uploads.ts";

export type FinishedVideoDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "delete">;
  readonly provider: Pick<AnalysisProvider, "deleteCopies">;
  readonly log: Pick<Logger, "warn">;
};

/** A worker that is alive deletes the video of its own job within this time. */
const minAgeMs = 15_000;
/** Uploads that cannot be deleted come first in every run, so the limit leaves room for many of them. */
const limit = 1_000;
const maxProviderMs = 60_000;

/**
 * Deletes the videos that crashed workers left: the uploads of finished jobs, and every provider copy whose job has
 * finished, also one that appeared after its job counted as clean.
 *
 * @returns the number of jobs it cleaned up plus the number of provider copies it deleted.
 */
export async function deleteFinishedVideos(deps: FinishedVideoDeps, stop: AbortSignal): Promise<number> {
  const { db, provider } = deps;
  const finished = await deleteUploads(deps, await findJobsToCleanUp(db, { minAgeMs, limit }));
  const signal = AbortSignal.any([stop, AbortSignal.timeout(maxProviderMs)]);
  // A worker that stops asks the provider nothing more.
  signal.throwIfAborted();
  const copies = await provider.deleteCopies((ids) => finishedAmong(db, ids), signal);
  for (const id of finished) await markCleanedUp(db, id);
  return finished.length + copies;
}

/** Unknown ids are left out: another installation may use the same provider account. */
async function finishedAmong(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  const known = await findJobStates(db, ids);
  return new Set(known.filter(({ status }) => status === "succeeded" || status === "failed").map(({ id }) => id));
}
