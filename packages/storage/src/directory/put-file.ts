import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import type { Hasher, RunningHash, Slot } from "../copy/hashing/hasher.ts";
import { readSource } from "../copy/read-source.ts";
import type { PutOptions } from "../storage.ts";

/**
 * Returns whether a file could not be written because of the disk or this process, rather than because of the file's
 * bytes.
 */
export function isDiskFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && diskFaults.has(error.code);
}

const diskFaults = new Set<unknown>([
  ...["ENOSPC", "EDQUOT", "EFBIG"],
  ...["EROFS", "EACCES", "EPERM"],
  // The directory was deleted or replaced.
  ...["ENOTDIR", "EEXIST", "ENOENT", "ELOOP"],
  ...["EIO", "ENXIO", "ENODEV", "ESTALE"],
  ...["EMFILE", "ENFILE"],
]);

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

/** Writes and hashes bytes while more of them arrive. */
export type WriteBehind = {
  /** Takes bytes, which may change after this resolves. Waits while as many bytes wait as one write takes. */
  add(bytes: Uint8Array): Promise<void>;
  /** Resolves when every byte is written and hashed. Rejects with the first failure. */
  finish(): Promise<void>;
};

/**
 * Creates a writer for one file. One write runs at a time. Bytes that arrive meanwhile become the next write. So a fast
 * source gets few and large writes, and a slow source holds no memory between its chunks. Calls `fail` once with the
 * first failure, because the source may be idle then.
 */
export function createWriteBehind(file: FileHandle, hash: RunningHash, fail: (error: unknown) => void): WriteBehind {
  let filling: { slot: Slot; bytes: number } | undefined;
  let oneWrite: Promise<unknown> | undefined;
  let writing: Promise<void> | undefined;
  let failed = false;

  const writeWhatCame = async () => {
    while (filling) {
      const { slot, bytes } = filling;
      filling = undefined;
      oneWrite = both(hash.update(slot, bytes), writeAll(file, slot.memory.subarray(0, bytes)));
      try {
        await oneWrite;
      } finally {
        hash.giveBack(slot);
      }
    }
    writing = undefined;
  };
  const begin = () => {
    if (writing) return;
    writing = writeWhatCame();
    writing.catch((error) => {
      if (filling) hash.giveBack(filling.slot);
      filling = undefined;
      failed = true;
      fail(error);
    });
  };

  const takeSlot = async () => {
    const slot = await hash.takeSlot();
    if (failed) {
      hash.giveBack(slot);
      await writing;
    }
    return { slot, bytes: 0 };
  };

  return {
    async add(bytes) {
      for (let at = 0; at < bytes.byteLength; ) {
        filling ??= await takeSlot();
        const { slot } = filling;
        const part = bytes.subarray(at, at + slot.memory.byteLength - filling.bytes);
        slot.memory.set(part, filling.bytes);
        filling.bytes += part.byteLength;
        at += part.byteLength;
        begin();
        while (filling?.bytes === slot.memory.byteLength) await oneWrite;
      }
    },
    async finish() {
      await writing;
    },
  };
}

/** Waits for both also when one fails: until then, the slot is in use. */
async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  const work = [first, second];
  await Promise.allSettled(work);
  await Promise.all(work);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** The file that is written, and its name once it is complete. */
type Paths = { unfinished: string; finished: string };

type PutDeps = { readonly hasher: Hasher; readonly earlyFlush: EarlyFlush };

/** Streams bytes into a file and renames it once it is complete and on disk; see `Storage.put`. */
export async function putFile(
  { hasher, earlyFlush }: PutDeps,
  { unfinished, finished }: Paths,
  source: AsyncIterable<Uint8Array> | Readable,
  { maxBytes, signal, onCopied }: PutOptions,
): Promise<{ bytes: number; sha256: string }> {
  using hash = hasher.begin();
  let bytes = 0;
  let sha256: string;
  try {
    const file = await open(unfinished, "wx", 0o600);
    const failure = new AbortController();
    const flush = earlyFlush.of(file);
    const writer = createWriteBehind(file, hash, (error) => failure.abort(error));
    try {
      const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
      for await (const chunk of readSource(source, { maxBytes, signal: stop })) {
        bytes += chunk.byteLength;
        await writer.add(chunk);
        flush.written(bytes);
        onCopied?.(chunk);
      }
      await writer.finish();
      [sha256] = await Promise.all([hash.digest(), file.sync(), flush.end()]);
    } finally {
      await writer.finish().catch(() => undefined);
      await flush.end().catch(() => undefined);
      await file.close();
    }
    await rename(unfinished, finished);
    await syncDirectory(dirname(finished)).catch(async (error: unknown) => {
      await rm(finished, { force: true });
      throw error;
    });
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return { bytes, sha256 };
}

/** Writes a directory to disk. Without it, a new name in it may not survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
