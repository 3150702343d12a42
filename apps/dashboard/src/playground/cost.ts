import type { PageLimits } from "@video-to-json/contract/dashboard/account";

/**
 * Returns the cost of a video from its length, both in seconds. It is an estimate: the service measures the video
 * itself, and bills by its own measurement.
 */
export function estimatedSeconds(duration: number, { minimum_billed_seconds }: PageLimits): number {
  return Math.max(minimum_billed_seconds, Math.floor(duration + 0.5));
}

/** Returns why the service would refuse a video, or undefined if it takes the video. */
export function refusalOf(
  { bytes, duration }: { bytes: number; duration: number | undefined },
  { max_upload_bytes, max_video_seconds }: PageLimits,
): string | undefined {
  if (bytes > max_upload_bytes) {
    return `An upload may have ${sizeText(max_upload_bytes)}. A video behind a URL may be larger.`;
  }
  if (duration !== undefined && Math.floor(duration + 0.5) > max_video_seconds) {
    return `The video is longer than ${lengthText(max_video_seconds)}. Choose a part of it below the instructions.`;
  }
  return undefined;
}

/** Writes a limit of seconds in words, such as "15 minutes". */
export function lengthText(seconds: number): string {
  return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} s`;
}

/** Writes a limit of bytes in words, such as "1 GiB". */
export function sizeText(bytes: number): string {
  return bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${Math.floor((bytes / 2 ** 20) * 10) / 10} MiB`;
}
