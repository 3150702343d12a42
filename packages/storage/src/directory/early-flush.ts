import type { FileHandle } from "node:fs/promises";

/** Writes the bytes of large files to the disk while more of them arrive. */
export type EarlyFlush = { of(file: Pick<FileHandle, "datasync">): FileFlush };

/** The early flushes of one file. */
type FileFlush = {
  /** Call it with the number of bytes written so far. Starts a flush if many are new and no other flush runs. */
  written(bytes: number): void;
  /** Resolves when no flush of the file runs. Rejects if one failed: the kernel reports such an error only once. */
  end(): Promise<void>;
};

const stepBytes = 32 * 1024 * 1024;

/**
 * Creates the early flushes of one storage. Without them, the kernel keeps gigabytes in memory, and the flush at the end of
 * an upload waits for all of them. One flush runs at a time, because each takes one of Node's four threads for files.
 */
export function createEarlyFlush(): EarlyFlush {
  let isRunning = false;
  return {
    of(file) {
      let flushedBytes = 0;
      let flushes = Promise.resolve();
      return {
        written(bytes) {
          if (isRunning || bytes - flushedBytes < stepBytes) return;
          flushedBytes = bytes;
          isRunning = true;
          const flush = file.datasync().finally(() => {
            isRunning = false;
          });
          flushes = Promise.all([flushes, flush]).then(() => {});
          flushes.catch(() => {});
        },
        end: () => flushes,
      };
    },
  };
}
