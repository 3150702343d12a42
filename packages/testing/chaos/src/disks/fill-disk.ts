import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const everyMs = 50;
const largest = 1024 * 1024;

/** Fills a disk and keeps it full, even if files on it are deleted, until the returned function is called. */
export function fillDisk(directory: string): () => Promise<void> {
  const path = join(directory, "filler");
  const fill = () => {
    for (let size = largest; size >= 1; ) {
      try {
        appendFileSync(path, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size = Math.floor(size / 2);
      }
    }
  };
  fill();
  const filling = setInterval(fill, everyMs);
  return async () => {
    clearInterval(filling);
    rmSync(path, { force: true });
  };
}
