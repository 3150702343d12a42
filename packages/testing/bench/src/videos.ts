import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ffmpeg, ffmpegDirectory } from "@video-to-json/testing/running";

/** The containers of large videos, with ffmpeg's names for them. */
export const containers = { mp4: "mp4", mkv: "matroska", ts: "mpegts" } as const;

const sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=10"];

type Spec = { megabytes: number; seconds: number; container: keyof typeof containers };

/** Writes a large video: ten seconds of H.264 with noise and AAC, which are repeated without encoding them again. */
export async function makeLargeVideo(
  directory: string,
  { megabytes, seconds, container }: Spec,
): Promise<{ path: string; bytes: number }> {
  const kilobits = Math.round((megabytes * 8000) / seconds - 132);
  const rate = `${kilobits}k`;
  const scene = join(directory, `${container}-scene.mp4`);
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=10,noise=alls=40:allf=t"];
  const video = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "50", "-b:v", rate];
  const steady = ["-minrate", rate, "-maxrate", rate, "-bufsize", rate];
  await ffmpeg([...picture, ...sound, ...video, ...steady, "-c:a", "aac", "-b:a", "128k", "-ac", "2", scene]);
  const path = join(directory, `large.${container}`);
  const repeats = String(Math.max(0, Math.round(seconds / 10) - 1));
  await ffmpeg(["-stream_loop", repeats, "-i", scene, "-c", "copy", "-f", containers[container], path]);
  return { path, bytes: (await stat(path)).size };
}

/** Writes a clip of about 1 MB to a path: ten seconds of H.264 and AAC in MP4. Returns its size in bytes. */
export async function makeClip(path: string): Promise<number> {
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=10"];
  const video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-b:v", "720k", "-maxrate", "720k"];
  await ffmpeg([...picture, ...sound, ...video, "-bufsize", "720k", "-c:a", "aac", "-b:a", "64k", path]);
  return (await stat(path)).size;
}

/** Finds the ffprobe that the workers use: its command, and its version with the build. */
export async function findFfprobe(): Promise<{ path: string; version: string }> {
  const path = ffmpegDirectory ? join(ffmpegDirectory, "ffprobe") : "ffprobe";
  const { stdout } = await promisify(execFile)(path, ["-version"]);
  const version = /^ffprobe version (\S+)/.exec(stdout)?.[1] ?? "unknown";
  return { path, version: `${version} (${ffmpegDirectory ? "minimal build" : "the machine's own"})` };
}
