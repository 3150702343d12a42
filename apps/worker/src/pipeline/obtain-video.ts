import { join } from "node:path";
import type { Limits } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { fetchVideo } from "@video-to-json/media";
import type { Storage } from "@video-to-json/storage";

/** How to download from a caller's URL. */
export type Fetching = { allowHosts: readonly string[]; totalMs: number; minBytesPerSecond: number };

type ObtainVideoDeps = {
  readonly storage: Pick<Storage, "obtain">;
  readonly limits: Pick<Limits, "maxFileBytes">;
  readonly fetching: Fetching;
};

/**
 * Returns a local path of the job's video: the upload from storage, or the download of the caller's URL into
 * `scratch`.
 */
export async function obtainVideo(
  deps: ObtainVideoDeps,
  job: ClaimedJob,
  scratch: string,
  signal: AbortSignal,
): Promise<string> {
  if (job.videoUrl === null) return deps.storage.obtain(job.id, scratch, signal);
  const path = join(scratch, "fetched");
  await fetchVideo(job.videoUrl, path, { ...deps.fetching, maxBytes: deps.limits.maxFileBytes, signal });
  return path;
}
