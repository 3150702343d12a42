/** The minimum cost of a job, in seconds (specification, "Limits"). */
const minimumSeconds = 60;

/** The longest video, in whole seconds (specification, "Limits"). */
export const maxVideoSeconds = 600;

/** The largest upload, in bytes (specification, "Limits"). */
export const maxUploadBytes = 512 * 1024 * 1024;

/**
 * Returns the cost of a video from its length, both in seconds. It is an estimate: the service measures the video
 * itself, and its measurement counts.
 */
export function estimatedSeconds(duration: number): number {
  return Math.max(minimumSeconds, Math.floor(duration + 0.5));
}

/** Returns why a video cannot be run, or undefined if it can. */
export function refusalOf({ bytes, duration }: { bytes: number; duration: number | undefined }): string | undefined {
  if (bytes > maxUploadBytes) return "An upload may have 512 MiB. A video behind a URL may be larger.";
  if (duration !== undefined && Math.floor(duration + 0.5) > maxVideoSeconds) {
    return "The video is longer than ten minutes. Choose a part of it below the instructions.";
  }
  return undefined;
}
