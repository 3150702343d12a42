import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";
import type { PutOptions } from "../storage.ts";

/** The file that is written, and its name once it is complete. */
type Paths = { unfinished: string; finished: string };

/** Streams bytes into a file and renames it once it is complete and on disk; see `Storage.put`. */
export async function putFile(
  { unfinished, finished }: Paths,
  source: AsyncIterable<Uint8Array> | Readable,
  { maxBytes, signal }: PutOptions,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      for await (const chunk of untilAborted(source, signal)) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new Problem("file_too_large", { what: "upload", maxBytes });
        hash.update(chunk);
        await writeAll(file, chunk);
      }
      await file.sync();
    } finally {
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
  return { bytes, sha256: hash.digest("hex") };
}

/**
 * Yields the chunks of the source until the signal aborts. `pipeline` and a plain loop do not end then: both wait for
 * a generator that yields no more.
 */
async function* untilAborted(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orAbort(chunks.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (source instanceof Readable) source.destroy();
    else void chunks.return?.().catch(() => undefined);
  }
}

function orAbort<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
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

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten;
}
