import type { AnalysisProvider } from "@video-to-json/analysis";
import { type Db, findJobStates } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Storage } from "@video-to-json/storage";
import { deleteDeadScratch, deleteScratch, listScratch } from "../pipeline/scratch.ts";
import { deleteUploads } from "./delete-uploads.ts";

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
  const fences = await fencesOfOpenJobs(db, old);
  const orphans = old.filter((key) => !fences.has(key));
  return (await deleteUploads(deps, orphans)).length;
}

export type OrphanScratchDeps = {
  readonly db: Db;
  readonly scratchDir: string;
  readonly provider: Pick<AnalysisProvider, "cancelUploads">;
};

const maxProviderMs = 60_000;

/**
 * Deletes the scratch directories of claims that have ended: their worker died, or an upload to the provider could not
 * be cancelled yet. Returns how many directories are gone.
 */
export async function deleteOrphanScratch(deps: OrphanScratchDeps, stop: AbortSignal): Promise<number> {
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
