import type { FileHandle } from "node:fs/promises";

const pieceBytes = 256 * 1024;

/** The video on disk cannot be read, or became shorter. No retry of the upload can help. */
export class VideoBytesError extends Error {}

/**
 * Yields the bytes from `start` to before `end`, in pieces. Throws VideoBytesError when the file does not hold them.
 */
export async function* videoBytes(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    // The socket may still hold the last piece, so each piece has its own memory.
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at).catch((cause: unknown) => {
      throw new VideoBytesError("The video cannot be read from disk.", { cause });
    });
    if (bytesRead === 0) throw new VideoBytesError("The video on disk became shorter during the upload.");
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
