import type { FileHandle } from "node:fs/promises";

/**
 * Returns the length in seconds from the header of an AVI or ASF file that is shorter than it declares, because ffmpeg
 * corrects or drops that length. Returns null for a complete file, or one without a declared length.
 */
export async function declaredByShortFile(file: FileHandle, format: string): Promise<number | null> {
  const { size } = await file.stat();
  const head = Buffer.alloc(64 * 1024);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const start = head.subarray(0, bytesRead);
  if (format === "avi") return declaredByAvi(start, size);
  if (format === "asf") return declaredByAsf(start, size);
  return null;
}

/**
 * Returns whether the writer of an AVI file never completed its header, for example because it wrote to a pipe. The
 * declared lengths are then placeholders, and ffmpeg's values are guesses.
 */
export async function hasUnfinishedHeader(file: FileHandle, format: string): Promise<boolean> {
  if (format !== "avi") return false;
  const head = Buffer.alloc(8);
  await file.read(head, 0, head.length, 0);
  return isPlaceholder(head.readUInt32LE(4));
}

/** A recorder that never completed the header leaves zero or the largest number as the size. */
function isPlaceholder(riffSize: number): boolean {
  return riffSize === 0 || riffSize >= 0x7fffffff;
}

/** Reads `RIFF` size `AVI `, then the `avih` chunk with microseconds per frame and the number of frames. */
function declaredByAvi(start: Buffer, size: number): number | null {
  const header = start.indexOf("avih");
  if (header < 0 || header + 28 > start.length || start.toString("latin1", 0, 4) !== "RIFF") return null;
  const riffSize = start.readUInt32LE(4);
  if (isPlaceholder(riffSize) || riffSize + 8 <= size) return null;
  const microseconds = start.readUInt32LE(header + 8);
  const frames = start.readUInt32LE(header + 24);
  return (microseconds * frames) / 1e6 || null;
}

const asfFileProperties = Buffer.from("a1dcab8c47a9cf118ee400c00c205365", "hex");

/**
 * Reads the File Properties object: size, duration in 100 ns with the preroll in ms, flags (1: live, no valid length).
 */
function declaredByAsf(start: Buffer, size: number): number | null {
  const at = start.indexOf(asfFileProperties);
  if (at < 0 || at + 92 > start.length) return null;
  const declaredSize = Number(start.readBigUInt64LE(at + 40));
  const live = (start.readUInt32LE(at + 88) & 1) === 1;
  if (live || declaredSize <= size) return null;
  const seconds = Number(start.readBigUInt64LE(at + 64)) / 1e7 - Number(start.readBigUInt64LE(at + 80)) / 1e3;
  return seconds > 0 ? seconds : null;
}
