import type { FileHandle } from "node:fs/promises";

/**
 * Returns a function that reads 16 bytes from a position in a file, or fewer at the end of the file. It reads close
 * positions together.
 */
export function createHeadReader(file: FileHandle): (position: number) => Promise<Buffer> {
  const buffer = Buffer.alloc(64 * 1024);
  let start = 0;
  let end = 0;
  return async (position) => {
    if (position < start || position + 16 > end) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      start = position;
      end = position + bytesRead;
    }
    return buffer.subarray(position - start, Math.min(position + 16, end) - start);
  };
}
