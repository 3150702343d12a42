import type { Limits } from "@video-to-json/contract";
import { type ClaimedJob, type Db, retryWhileUnavailable, saveDuration } from "@video-to-json/database";
import { type MeasuredVideo, measure, VideoTooLong } from "@video-to-json/media";
import { JobTaken } from "./stop-reasons.ts";

type Deps = { readonly db: Db; readonly limits: Pick<Limits, "maxVideoSeconds"> };

/**
 * Measures the video from its bytes and writes its length down, also of one that is too long. Throws media_unreadable or
 * video_too_long.
 */
export async function probeVideo(
  deps: Deps,
  job: ClaimedJob,
  path: string,
  signal: AbortSignal,
): Promise<MeasuredVideo> {
  try {
    const video = await measure(path, { maxVideoSeconds: deps.limits.maxVideoSeconds, signal });
    await writeDown(deps, job, video.durationMs);
    return video;
  } catch (error) {
    if (error instanceof VideoTooLong && error.durationMs !== null) await writeDown(deps, job, error.durationMs);
    throw error;
  }
}

async function writeDown({ db }: Deps, { id, fence }: ClaimedJob, durationMs: number): Promise<void> {
  if (!(await retryWhileUnavailable(() => saveDuration(db, { id, fence, durationMs })))) throw new JobTaken();
}
