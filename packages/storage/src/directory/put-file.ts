import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import type { Hasher } from "../copy/hashing/running-hash.ts";
import { readSource } from "../copy/read-source.ts";
import type { PutOptions } from "../storage.ts";
import type { EarlyFlush } from "./early-flush.ts";
import { createWriteBehind } from "./write-behind.ts";

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
