import { Problem } from "@video-to-json/contract";
import { FfmpegFailure } from "./ffmpeg/ffmpeg-failure.ts";

/**
 * Returns the Problem `provider_unavailable` if the error means that our disk is full, whether we or ffmpeg wrote to
 * it. Neither the video nor its sender is at fault then. Returns undefined for every other error.
 */
export function asDiskFullProblem(error: unknown): Problem | undefined {
  if (!isDiskFull(error)) return undefined;
  return new Problem(
    "provider_unavailable",
    { reason: "The service has no disk space left for the video." },
    { cause: error, retryAfterSeconds: 60 },
  );
}

function isDiskFull(error: unknown): boolean {
  if (error instanceof FfmpegFailure) return /No space left on device|Disk quota exceeded/.test(error.stderr);
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
