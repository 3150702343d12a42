import { stat } from "node:fs/promises";
import { ffmpeg } from "@video-to-json/testing/running";

/** Writes a clip of about 1 MB to a path: ten seconds of H.264 and AAC in MP4. Returns its size in bytes. */
export async function makeClip(path: string): Promise<number> {
  const picture = ["-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=10"];
  const sound = ["-f", "lavfi", "-i", "sine=frequency=440:duration=10"];
  const video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-b:v", "720k", "-maxrate", "720k"];
  await ffmpeg([...picture, ...sound, ...video, "-bufsize", "720k", "-c:a", "aac", "-b:a", "64k", path]);
  return (await stat(path)).size;
}
