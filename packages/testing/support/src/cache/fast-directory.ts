import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const inMemory = "/dev/shm";
/** More than a run ever stores at once: databases of 8 MB each, a write-ahead log of 1 GB, and videos. */
const neededBytes = 4 * 1024 ** 3;

/** Returns the directory for the temporary files of a run: in memory if there is space, otherwise on disk. */
export function fastDirectory(): string {
  return freeBytes(inMemory) >= neededBytes ? inMemory : tmpdir();
}

/** Returns whether a directory is in memory. */
export function isInMemory(directory: string): boolean {
  return directory.startsWith(`${inMemory}/`);
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
