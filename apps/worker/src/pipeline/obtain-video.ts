import { join } from "node:path";
import type { Limits } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import { fetchVideo } from "@video-to-json/media";
import type { Storage } from "@video-to-json/storage";

type Deps = {
  readonly storage: Pick<Storage, "obtain">;
  readonly limits: Pick<Limits, "maxFileBytes">;
  readonly fetching: { allowHosts: readonly string[]; totalMs: number; minBytesPerSecond: number };
};

/** Brings the job's video to a local path: the upload out of storage, or the caller's URL into scratch. */
export async function obtainVideo(deps: Deps, job: ClaimedJob, scratch: string, signal: AbortSignal): Promise<string> {
  if (job.videoUrl === null) return deps.storage.obtain(job.id, scratch, signal);
  const path = join(scratch, "fetched");
  await fetchVideo(job.videoUrl, path, { ...deps.fetching, maxBytes: deps.limits.maxFileBytes, signal });
  return path;
}
