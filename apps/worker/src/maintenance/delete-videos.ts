import type { AnalysisProvider } from "@video-to-json/analysis";
import { type Db, findJobStates, findJobsToCleanUp, findOwnedKeys, markCleanedUp } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import { type Storage, StorageHangs } from "@video-to-json/storage";
import { deleteDeadScratch, deleteOldTests, deleteScratch, listScratch } from "../pipeline/scratch.ts";

type Deps = { readonly storage: Pick<Storage, "delete">; readonly log: Pick<Logger, "warn"> };

/**
 * Deletes uploads by key. A failed deletion is logged and does not stop the others. Returns the keys of the deleted
 * uploads.
 */
async function deleteUploads({ storage, log }: Deps, keys: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const key of keys) {
    try {
      await storage.delete(key);
      deleted.push(key);
    } catch (error) {
      log.warn({ err: error, key }, "upload could not be deleted; trying again");
      if (error instanceof StorageHangs) break;
    }
  }
  return deleted;
}

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
  const jobs = await findJobsToCleanUp(db, { minAgeMs, limit });
  const keys = new Set(jobs.flatMap((job) => job.keys));
  const deleted = new Set(await deleteUploads(deps, [...keys]));
  const finished = jobs.filter((job) => job.keys.every((key) => deleted.has(key))).map(({ id }) => id);
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

export type OrphanUploadDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "list" | "delete" | "now">;
  readonly log: Pick<Logger, "warn">;
  /** An upload without an open job is an orphan if its last byte is older than this. */
  readonly orphanUploadSeconds: number;
};

/**
 * Deletes old uploads that no open job owns, because a caller or an API went away before admission. The storage's clock
 * decides their age, because a worker's clock may be wrong. Returns how many.
 */
export async function deleteOrphanUploads(deps: OrphanUploadDeps): Promise<number> {
  const { db, storage, orphanUploadSeconds } = deps;
  const now = await storage.now();
  const old: string[] = [];
  for await (const { key, modifiedAt } of storage.list()) {
    if (now.getTime() - modifiedAt.getTime() > orphanUploadSeconds * 1000) old.push(key);
  }
  const owned = await findOwnedKeys(db, old);
  const orphans = old.filter((key) => !owned.has(key));
  return (await deleteUploads(deps, orphans)).length;
}

export type OrphanScratchDeps = {
  readonly db: Db;
  readonly scratchDir: string;
  readonly provider: Pick<AnalysisProvider, "cancelUploads">;
};

/**
 * Deletes the scratch directories of claims that have ended: their worker died, or an upload to the provider could not
 * be cancelled yet. Deletes what the tests of dead workers left, too. Returns how many directories are gone.
 */
export async function deleteOrphanScratch(deps: OrphanScratchDeps, stop: AbortSignal): Promise<number> {
  await deleteOldTests(deps);
  const claims = await listScratch(deps);
  const ids = claims.map(({ id }) => id);
  const fences = await fencesOfOpenJobs(deps.db, ids);
  const orphans = claims.filter(({ id, fence }) => fences.get(id) !== fence);
  // The videos are deleted first, because the provider may not answer.
  const isDeleted = await Promise.all(orphans.map((claim) => deleteScratch(deps, claim)));
  const withOpenUploads = orphans.filter((_, index) => !isDeleted[index]);
  let gone = orphans.length - withOpenUploads.length;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(maxProviderMs)]);
  for (const claim of withOpenUploads) if (await deleteDeadScratch(deps, claim, signal)) gone++;
  return gone;
}

/** Returns the current fence of each of these jobs that is open. */
async function fencesOfOpenJobs(db: Db, ids: string[]): Promise<Map<string, number>> {
  const known = await findJobStates(db, [...new Set(ids)]);
  const open = known.filter(({ status }) => status === "queued" || status === "running");
  return new Map(open.map(({ id, fence }) => [id, fence]));
}
