import type { Limits } from "@video-to-json/contract";
import { type ClaimedJob, type Db, retryWhileUnavailable, saveDuration } from "@video-to-json/database";
import { type Confinement, type MeasuredVideo, measure, VideoTooLong } from "@video-to-json/media";
import type { KindPlaces } from "@video-to-json/runtime/timing";
import { JobTaken } from "./stop-reasons.ts";

type ProbeVideoDeps = {
  readonly db: Db;
  readonly limits: Pick<Limits, "maxVideoSeconds">;
  readonly confinement: Confinement;
  readonly processor: KindPlaces;
};

/**
 * Measures the video from its bytes, in a place of the processor, and stores its length in the job, even if it is too
 * long. A video may be longer if the request names a clip. Throws Problem `media_unreadable` or `video_too_long`.
 */
export async function probeVideo(
  deps: ProbeVideoDeps,
  job: ClaimedJob,
  path: string,
  signal: AbortSignal,
): Promise<MeasuredVideo> {
  try {
    const { limits, confinement, processor } = deps;
    const maxVideoSeconds = job.clip ? maxSecondsAroundClip : limits.maxVideoSeconds;
    const video = await processor.run(job, signal, () => measure(path, { maxVideoSeconds, confinement, signal }));
    await storeDuration(deps, job, video.durationMs);
    return video;
  } catch (error) {
    if (error instanceof VideoTooLong && error.durationMs !== null) await storeDuration(deps, job, error.durationMs);
    throw error;
  }
}

/** The size of the file limits it too. The column takes 24 days. */
const maxSecondsAroundClip = 86_400;

async function storeDuration(
  { db }: Pick<ProbeVideoDeps, "db">,
  { id, fence }: ClaimedJob,
  durationMs: number,
): Promise<void> {
  if (!(await retryWhileUnavailable(() => saveDuration(db, { id, fence, durationMs })))) throw new JobTaken();
}
