import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { ffmpegDirectory } from "@video-to-json/testing/running";

/** An ffprobe: its command, whether it is the minimal build of `./scripts/setup`, and its version. */
export type Ffprobe = { path: string; isMinimal: boolean; version: string };

/** Finds the ffprobe that the workers use. */
export async function findFfprobe(): Promise<Ffprobe> {
  const path = ffmpegDirectory ? join(ffmpegDirectory, "ffprobe") : "ffprobe";
  const { stdout } = await promisify(execFile)(path, ["-version"]);
  const version = /^ffprobe version (\S+)/.exec(stdout)?.[1] ?? "unknown";
  return { path, isMinimal: Boolean(ffmpegDirectory), version };
}
