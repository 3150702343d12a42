import { type ClaimedJob, type Db, markCleanedUp } from "@video-to-json/database";
import type { Storage } from "@video-to-json/storage";
import { deleteDeadScratch, deleteScratch, listScratch } from "./scratch.ts";

type Deps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "delete">;
  readonly scratchDir: string;
  readonly service: {
    deleteCopies(isOver: (ids: string[]) => Promise<ReadonlySet<string>>, signal: AbortSignal): Promise<number>;
    cancelUploads(notes: string, signal: AbortSignal): Promise<void>;
  };
};

const longestSweepMs = 10_000;

/**
 * Deletes what a job leaves: this claim's scratch always; once the job is over also the upload, the scratch of claims
 * that died here, and copies they left at the analysis service (its own copy the service deletes itself). Notes of uploads
 * that could not be cancelled yet stay in scratch for the sweeper.
 */
export async function cleanUp(deps: Deps, job: ClaimedJob, over: boolean): Promise<void> {
  await deleteScratch(deps, job);
  if (!over) return;
  // The upload first: it does not wait for a service that cannot be reached.
  await deps.storage.delete(job.id);
  if (job.fence > 1) {
    const left = (await listScratch(deps)).filter(({ id, fence }) => id === job.id && fence < job.fence);
    const signal = AbortSignal.timeout(longestSweepMs);
    await Promise.all(left.map((claim) => deleteDeadScratch(deps, claim, signal)));
    const own = async (ids: string[]) => new Set(ids.filter((id) => id === job.id));
    await deps.service.deleteCopies(own, signal);
  }
  await markCleanedUp(deps.db, job.id);
}
