import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { damagedVideos } from "./damaged-videos.ts";
import { encodedVideos } from "./encoded-videos.ts";
import { fakeVideos } from "./fake-videos.ts";
import { furtherVideos } from "./further-videos.ts";
import { makeEncodedVideos } from "./make-encoded-videos.ts";

/** The expected result of measuring a file: its length within a tolerance, or an error code. */
export type TrickyExpectation =
  | { ok: true; durationMs: number; toleranceMs: number }
  | { ok: false; code: "media_unreadable" | "video_too_long" };

/** A file that is easily measured wrong. `name` says why. */
export type TrickyVideo = { name: string; path: string; expect: TrickyExpectation };

/**
 * Makes the files in an existing folder, for a limit of 600 seconds. Skips the files that the installed ffmpeg cannot
 * encode, and without `all` those of a kind that another file shows too. Takes some seconds.
 */
export async function makeTrickyVideos(folder: string, { all }: { all: boolean }): Promise<TrickyVideo[]> {
  const isWanted = ({ file }: { file: string }) => all || !furtherVideos.has(file);
  const encoded = await makeEncodedVideos(encodedVideos.filter(isWanted), folder);
  const made = encoded.map(({ name, file, expect }): TrickyVideo => ({ name, path: join(folder, file), expect }));
  const read = (file: string) => readFile(join(folder, file));
  for (const { name, file, expect, make } of [...damagedVideos, ...fakeVideos].filter(isWanted)) {
    const content = await make(read).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    if (content === null) continue;
    await writeFile(join(folder, file), content);
    made.push({ name, path: join(folder, file), expect });
  }
  return made;
}

/** Returns whether the file is missing from which another is made: the installed ffmpeg could not encode it. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
