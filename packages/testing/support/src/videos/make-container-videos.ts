import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { containerVideos } from "./container-videos.ts";
import { ffmpeg, ffmpegHas } from "./ffmpeg.ts";

/** Makes a valid video of some seconds in each container and codec that the installed ffmpeg writes. */
export async function makeContainerVideos(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const made: { name: string; bytes: Buffer }[] = [];
  for (const { name, file, args, encoder, expect } of containerVideos) {
    if (!expect.ok || (encoder && !(await ffmpegHas("encoder", encoder)))) continue;
    await ffmpeg([...args, file], folder);
    made.push({ name, bytes: await readFile(join(folder, file)) });
  }
  return made;
}
