import { createHash, type Hash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Problem } from "@video-to-json/contract";
import type { PutOptions } from "./storage.ts";
import { StorageFull } from "./storage-errors.ts";

/** Where the bytes go first, and where once they are all there. */
type Places = { unfinished: string; finished: string };

const MiB = 1024 * 1024;

/** Streams bytes into a file that takes its name only when it is complete; see `Storage.put`. */
export async function putFile(
  { unfinished, finished }: Places,
  source: AsyncIterable<Uint8Array> | Readable,
  { maxBytes, signal }: PutOptions,
): Promise<{ bytes: number; sha256: string }> {
  const meter = { bytes: 0, hash: createHash("sha256") };
  try {
    // Opened before the stream starts, so that no abort can come between its removal and its creation.
    const file = await open(unfinished, "wx", 0o600);
    const sink = file.createWriteStream({ highWaterMark: MiB });
    await pipeline(source, (chunks: AsyncIterable<Uint8Array>) => measured(chunks, meter, maxBytes), sink, {
      ...(signal && { signal }),
    });
    await rename(unfinished, finished);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (signal?.aborted) throw signal.reason;
    throw isFull(error) ? new StorageFull({ cause: error }) : error;
  }
  return { bytes: meter.bytes, sha256: meter.hash.digest("hex") };
}

async function* measured(chunks: AsyncIterable<Uint8Array>, meter: { bytes: number; hash: Hash }, maxBytes: number) {
  for await (const chunk of chunks) {
    meter.bytes += chunk.byteLength;
    if (meter.bytes > maxBytes) throw tooLarge(maxBytes);
    meter.hash.update(chunk);
    yield chunk;
  }
}

function tooLarge(maxBytes: number): Problem {
  const limit = maxBytes % MiB === 0 ? `${maxBytes / MiB} MiB` : `${maxBytes} bytes`;
  return new Problem("file_too_large", `The file is larger than ${limit}. Re-encode the video at a lower bitrate.`);
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
