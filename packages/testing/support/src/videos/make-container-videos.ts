import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { containerVideos } from "./container-videos.ts";
import { makeEncodedVideos } from "./make-encoded-videos.ts";

/** Makes a valid video of some seconds in each container and codec that the installed ffmpeg writes. */
export async function makeContainerVideos(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const valid = containerVideos.filter(({ expect }) => expect.ok);
  const made = await makeEncodedVideos(valid, folder);
  return Promise.all(made.map(async ({ name, file }) => ({ name, bytes: await readFile(join(folder, file)) })));
}
