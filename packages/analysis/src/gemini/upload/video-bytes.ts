import type { FileHandle } from "node:fs/promises";

const pieceBytes = 256 * 1024;
/** One piece is being read, one is in the stream, one is in the socket. */
const pieceCount = 3;

/** The video on disk cannot be read or has become shorter. Retrying the upload cannot help. */
export class VideoBytesError extends Error {}

/**
 * Yields the bytes from `start` to before `end`, in pieces. Throws VideoBytesError when the file does not hold them.
 *
 * A piece is valid until the next two have been yielded. Then its memory is reused, because the garbage collector lets
 * hundreds of pieces pile up. undici reads the next piece only after the socket has sent the last one, and a piece is
 * larger than what a socket buffers.
 */
export async function* videoBytes(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  const pieces = Array.from({ length: pieceCount }, () => Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start)));
  for (let at = start, turn = 0; at < end; turn++) {
    const piece = pieces[turn % pieceCount] as Buffer;
    const length = Math.min(piece.length, end - at);
    const { bytesRead } = await handle.read(piece, 0, length, at).catch((cause: unknown) => {
      throw new VideoBytesError("The video cannot be read from disk.", { cause });
    });
    if (bytesRead === 0) throw new VideoBytesError("The video on disk became shorter during the upload.");
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
