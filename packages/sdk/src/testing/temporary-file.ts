import { fstatSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a sparse file of a number of bytes in a new temporary directory. */
export async function temporaryFile(bytes: number, name = "clip.mp4") {
  const directory = await mkdtemp(join(tmpdir(), "v2j-sdk-"));
  const path = join(directory, name);
  const file = await open(path, "w");
  await file.truncate(bytes);
  await file.close();
  return { path, directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

export function holdsOpen(path: string): boolean {
  const { ino, dev } = statSync(path);
  return readdirSync("/dev/fd").some((name) => {
    try {
      const held = fstatSync(Number(name));
      return held.ino === ino && held.dev === dev;
    } catch {
      return false;
    }
  });
}
