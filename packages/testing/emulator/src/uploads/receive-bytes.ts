import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";

/**
 * Writes the body of a request into a file at an offset, while it arrives. Stops after `stopAfter` bytes.
 *
 * Returns the number of bytes written. `whole` is false if the connection closed first or `stopAfter` was reached.
 */
export async function receiveBytes(
  request: IncomingMessage,
  path: string,
  offset: number,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<{ bytes: number; whole: boolean }> {
  const file = await open(path, "r+");
  let bytes = 0;
  try {
    if (stopAfter <= 0) return { bytes, whole: false };
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const part = chunk.subarray(0, stopAfter - bytes);
      await file.write(part, 0, part.length, offset + bytes);
      bytes += part.length;
      if (bytes >= stopAfter) return { bytes, whole: false };
    }
    return { bytes, whole: request.complete };
  } catch (error) {
    if (!request.destroyed && !request.readableAborted) throw error;
    return { bytes, whole: false };
  } finally {
    await file.close();
  }
}

/** Returns the SHA-256 of a file in hexadecimal. Reads the file as a stream. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
