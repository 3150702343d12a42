import type { AnalysisProvider } from "@video-to-json/analysis";
import { type ClaimedJob, type Db, markCleanedUp } from "@video-to-json/database";
import type { Storage } from "@video-to-json/storage";
import { deleteDeadScratch, deleteScratch, listScratch } from "./scratch.ts";

type CleanUpDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "delete">;
  readonly scratchDir: string;
  readonly provider: Pick<AnalysisProvider, "deleteCopies" | "cancelUploads">;
};

const maxProviderMs = 10_000;

/**
 * Deletes this claim's scratch. If the job has finished, also deletes its upload, and the remains of its earlier
 * claims: what they fetched, their scratch on this machine, and their provider copies. The provider itself deletes the copy of this claim.
 * Records of uploads that cannot be cancelled yet stay in scratch for the sweep.
 *
 * @param uploadDeleted the promise of the upload's deletion, if it has begun.
 */
export async function cleanUp(
  deps: CleanUpDeps,
  job: ClaimedJob,
  hasFinished: boolean,
  uploadDeleted?: Promise<void>,
): Promise<void> {
  await deleteScratch(deps, job);
  if (!hasFinished) return;
  // The upload comes first, because the provider may not answer.
  await (uploadDeleted ?? deps.storage.delete(job.videoKey));
  for (const claim of job.earlierClaims) await deps.storage.delete(claim);
  if (job.fence > 1) {
    const earlier = (await listScratch(deps)).filter(({ id, fence }) => id === job.id && fence < job.fence);
    const signal = AbortSignal.timeout(maxProviderMs);
    await Promise.all(earlier.map((claim) => deleteDeadScratch(deps, claim, signal)));
    const onlyThisJob = async (ids: string[]) => new Set(ids.filter((id) => id === job.id));
    await deps.provider.deleteCopies(onlyThisJob, signal);
  }
  await markCleanedUp(deps.db, job.id);
}
