import type { FileHandle } from "node:fs/promises";

const pieceSize = 256 * 1024;

/** The video on disk became shorter, or could not be read: nothing that asking the service again could mend. */
export class VideoBytesError extends Error {}

/** The bytes from `start` up to `end` (exclusive), in pieces. Throws VideoBytesError when the file does not hold them. */
export async function* videoBytes(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    // A piece still stands in the socket's queue when the next is read, so each has its own memory.
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceSize, end - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at).catch((cause: unknown) => {
      throw new VideoBytesError("The video could not be read from disk.", { cause });
    });
    if (bytesRead === 0) throw new VideoBytesError("The video on disk became shorter while it was uploaded.");
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
