import { Problem } from "@video-to-json/contract";
import { FfmpegFailure } from "./ffmpeg/ffmpeg-failure.ts";

/**
 * The Problem `provider_unavailable` where something failed because this machine has no room left for a video, written by
 * us or by ffmpeg: no fault of the video, and nothing that its sender can mend. Undefined for every other failure.
 */
export function asDiskFullProblem(error: unknown): Problem | undefined {
  if (!isScratchFull(error)) return undefined;
  return new Problem(
    "provider_unavailable",
    { reason: "The service has no disk space left for the video." },
    { cause: error, retryAfterSeconds: 60 },
  );
}

function isScratchFull(error: unknown): boolean {
  if (error instanceof FfmpegFailure) return /No space left on device|Disk quota exceeded/.test(error.stderr);
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
