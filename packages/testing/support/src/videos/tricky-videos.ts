import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { madeFiles } from "./damaged-videos.ts";
import { type Expectation, encodedVideos, makeEncodedVideos } from "./encoded-videos.ts";

/** Their kind is shown by another file or by hostile-files.fixture.ts. Only `./scripts/test --all` measures them. */
const furtherFiles: ReadonlySet<string> = new Set([
  ...["fall-back.ts", "short-pieces.mpg", "tracks-say-more.mp4", "says-more.mp4", "rotated.mp4", "most-plain.mkv"],
  ...["four-million.mp4", "empty-boxes.mp4", "half-header-first.mp4", "half-from-ten-plain.mkv", "half-plain.flv"],
  ...["half-plain.wmv", "half-plain.webm", "half-indexed.mp4"],
]);

/** A file that is easily measured wrong. `name` says why. */
export type TrickyVideo = { name: string; path: string; expect: Expectation };

/** Skips what the installed ffmpeg cannot encode, and without `all` those of a kind that another file shows too. */
export async function makeTrickyVideos(folder: string, { all }: { all: boolean }): Promise<TrickyVideo[]> {
  const encoded = await makeEncodedVideos(
    encodedVideos.filter(({ isFurther }) => all || !isFurther),
    folder,
  );
  const made = encoded.map(({ name, file, expect }): TrickyVideo => ({ name, path: join(folder, file), expect }));
  const isMade = (file: string) => encoded.some((video) => video.file === file);
  for (const { name, file, expect, from, make } of madeFiles) {
    if ((!all && furtherFiles.has(file)) || !from.every(isMade)) continue;
    const path = join(folder, file);
    await writeFile(path, make(...(await Promise.all(from.map((each) => readFile(join(folder, each)))))));
    made.push({ name, path, expect });
  }
  return made;
}
