import type { Limits } from "@video-to-json/contract";
import { type ClaimedJob, type Db, saveDuration } from "@video-to-json/database";
import { type MeasuredVideo, measure } from "@video-to-json/media";
import { JobTaken } from "./stop-reasons.ts";

type Deps = { readonly db: Db; readonly limits: Pick<Limits, "maxVideoSeconds"> };

/** Measures the video from its bytes and writes its length down. Throws media_unreadable or video_too_long. */
export async function probeVideo(
  deps: Deps,
  job: ClaimedJob,
  path: string,
  signal: AbortSignal,
): Promise<MeasuredVideo> {
  const video = await measure(path, { maxVideoSeconds: deps.limits.maxVideoSeconds, signal });
  const { id, fence } = job;
  if (!(await saveDuration(deps.db, { id, fence, durationMs: video.durationMs }))) throw new JobTaken();
  return video;
}
