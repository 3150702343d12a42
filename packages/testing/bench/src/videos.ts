import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing/running";

/** The containers of large videos. */
export const containers = ["mp4", "mkv", "ts"] as const;

const formats = { mp4: "mp4", mkv: "matroska", ts: "mpegts" } as const satisfies Record<
  (typeof containers)[number],
  string
>;

type Spec = { name: string; megabytes: number; seconds: number; container: (typeof containers)[number] };

/**
 * Writes a video of about so many megabytes (10⁶ bytes) and seconds into a directory: H.264 with noise and AAC, ten
 * seconds that are repeated without encoding them again. Returns its path and its size in bytes.
 */
export async function makeLargeVideo(
  directory: string,
  { name, megabytes, seconds, container }: Spec,
): Promise<{ path: string; bytes: number }> {
  const kilobits = Math.round((megabytes * 8000) / seconds - 132);
  const rate = `${kilobits}k`;
  const scene = join(directory, `${name}-scene.mp4`);
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=10,noise=alls=40:allf=t"];
  const sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=10"];
  const video = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "50", "-b:v", rate];
  const steady = ["-minrate", rate, "-maxrate", rate, "-bufsize", rate];
  await ffmpeg([...picture, ...sound, ...video, ...steady, "-c:a", "aac", "-b:a", "128k", "-ac", "2", scene]);
  const path = join(directory, `${name}.${container}`);
  const repeats = String(Math.max(0, Math.round(seconds / 10) - 1));
  await ffmpeg(["-stream_loop", repeats, "-i", scene, "-c", "copy", "-f", formats[container], path]);
  return { path, bytes: (await stat(path)).size };
}
