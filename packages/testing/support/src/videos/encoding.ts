import type { TrickyExpectation } from "./tricky-videos.ts";

/** A file that ffmpeg writes with these arguments. It may read files that come before it in the list. */
export type EncodedVideo = {
  name: string;
  file: string;
  args: readonly string[];
  /** The file is skipped where this encoder is missing. */
  encoder?: string;
  expect: TrickyExpectation;
};

export const unreadable = { ok: false, code: "media_unreadable" } as const;
export const tooLong = { ok: false, code: "video_too_long" } as const;

export function lasts(seconds: number, toleranceMs = 120): TrickyExpectation {
  return { ok: true, durationMs: seconds * 1000, toleranceMs };
}

export function picture(seconds: number, size = "64x48", rate: number | string = 10): string[] {
  return ["-f", "lavfi", "-i", `testsrc=size=${size}:rate=${rate}:duration=${seconds}`];
}

export function tone(seconds: number): string[] {
  return ["-f", "lavfi", "-i", `sine=duration=${seconds}`];
}

export const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10"];
export const aac = ["-c:a", "aac"];
export const both = [...picture(5), ...tone(5)];
export const copyOf = (file: string) => ["-i", file, "-map", "0", "-c", "copy"];
