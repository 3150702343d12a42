import {
  type Clip,
  type Limits,
  Problem,
  roundedSeconds,
  timestampText,
  type VideoPart,
} from "@video-to-json/contract";
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

/**
 * Returns the part of a measured video that a clip names, or null for the whole video. The end of a clip may be up to a
 * second after the end of the video; then both end together (docs/decisions/0001, "Clip and detail").
 *
 * @throws Problem `invalid_request` if the clip is not within the video; `video_too_long` if it is longer than a
 *   video may be.
 */
export function placeClip(
  { maxVideoSeconds }: Pick<Limits, "maxVideoSeconds">,
  clip: Clip | null,
  durationMs: number,
): VideoPart | null {
  if (!clip) return null;
  const fromMs = clip.startSeconds * 1000;
  const askedMs = clip.endSeconds === null ? durationMs : clip.endSeconds * 1000;
  const length = `The video is ${(durationMs / 1000).toFixed(3)} s long.`;
  if (fromMs >= durationMs)
    throw outside(`\`clip\` starts at ${timestampText(fromMs)}. ${length} Give an earlier start.`);
  if (askedMs >= durationMs + 1000)
    throw outside(`\`clip\` ends at ${timestampText(askedMs)}. ${length} Give an earlier end.`);
  const toMs = Math.min(askedMs, durationMs);
  if (roundedSeconds(toMs - fromMs) > maxVideoSeconds)
    throw new VideoTooLong({ seconds: (toMs - fromMs) / 1000, exact: true, maxSeconds: maxVideoSeconds });
  if (toMs >= maxTimestampMs) throw outside("`clip` ends after the first hour of the video. Give an end up to 59:59.");
  return fromMs === 0 && toMs === durationMs ? null : { fromMs, toMs };
}

/** The first time that does not fit into `MM:SS`. */
const maxTimestampMs = 3_600_000;

function outside(reason: string): Problem {
  return new Problem("invalid_request", { reason });
}
