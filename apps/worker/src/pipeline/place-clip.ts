import {
  type Clip,
  type Limits,
  Problem,
  roundedSeconds,
  timestampText,
  type VideoPart,
} from "@video-to-json/contract";
import { VideoTooLong } from "@video-to-json/media";

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
