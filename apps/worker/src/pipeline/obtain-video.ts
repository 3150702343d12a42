import type { Limits } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { fetchVideo } from "@video-to-json/media";
import type { Storage } from "@video-to-json/storage";

/** How to download from a caller's URL. */
export type Fetching = { allowHosts: readonly string[]; totalMs: number; minBytesPerSecond: number };

type StoreVideoDeps = {
  readonly storage: Pick<Storage, "put">;
  readonly limits: Pick<Limits, "maxFileBytes">;
  readonly fetching: Fetching;
};

type Download = { signal: AbortSignal; onAddress?: (address: string) => void };

/**
 * Downloads the caller's URL of a job to storage, under the id of the claim, as an upload. The time limit is that of the
 * job: earlier claims have used up a part of it.
 */
export async function storeVideo(
  deps: StoreVideoDeps,
  { videoKey, videoUrl, fetchingMs: spentMs }: ClaimedJob,
  { signal, onAddress }: Download,
): Promise<void> {
  if (videoUrl === null) return;
  const { maxFileBytes: maxBytes } = deps.limits;
  await fetchVideo(videoUrl, (bytes, onCopied) => deps.storage.put(videoKey, bytes, { maxBytes, onCopied, signal }), {
    ...deps.fetching,
    ...{ maxBytes, spentMs, signal, onAddress },
  });
}

/**
 * Returns a local path of the job's video: the object in storage, or a copy of it in `scratch`. Fetches a URL that is
 * still there, because a worker of the release before fetched in the place of the job, and died.
 */
export async function obtainVideo(
  deps: StoreVideoDeps & { readonly storage: Pick<Storage, "obtain"> },
  job: ClaimedJob,
  scratch: string,
  signal: AbortSignal,
): Promise<string> {
  await storeVideo(deps, job, { signal });
  return deps.storage.obtain(job.videoKey, scratch, signal);
}
