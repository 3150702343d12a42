/** The last bytes of a body that is being parsed. */
export type RecentBytes = {
  add(chunk: Buffer): void;
  /**
   * Takes a part of the body that is no longer needed. A whole chunk is dropped and its memory freed at once, because
   * the garbage collector would let hundreds of chunks pile up.
   */
  free(part: Uint8Array): void;
  /** Returns whether the bytes contain a text as UTF-8. */
  contain(text: string): boolean;
};

/**
 * Remembers at least the last `bytes` bytes of a body. The parser of forms decodes a field and writes U+FFFD for bytes
 * that are not UTF-8; only the bytes say whether the caller wrote that character.
 */
export function recentBytes(bytes: number): RecentBytes {
  const chunks: Buffer[] = [];
  let total = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      total += chunk.length;
      for (let first = chunks[0]; first && total - first.length >= bytes; first = chunks[0]) {
        chunks.shift();
        total -= first.length;
      }
    },
    free({ buffer, byteLength }) {
      if (!(buffer instanceof ArrayBuffer) || byteLength !== buffer.byteLength) return;
      const index = chunks.findIndex((chunk) => chunk.buffer === buffer);
      if (index !== -1) chunks.splice(index, 1);
      if (index !== -1) total -= byteLength;
      buffer.transfer(0);
    },
    contain: (text) => Buffer.concat(chunks).includes(text),
  };
}
