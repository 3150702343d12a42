import type { FileHandle } from "node:fs/promises";
import type { Length } from "./measure-length.ts";
import type { Mp4Facts } from "./mp4-boxes.ts";
import type { Header } from "./read-header.ts";

/**
 * Returns whether a file ends before nine tenths of its declared length, as a broken upload does (docs/decisions/0001,
 * "What is a video"). Uses the declared lengths of its sound and picture streams. Uses that of the whole file only if
 * they have none, because chapters and data may be longer than the video.
 */
export async function endsEarly(
  file: FileHandle,
  header: Header,
  boxes: Mp4Facts | null,
  length: Length,
): Promise<boolean> {
  // These containers declare no length. ffmpeg computes one from their last time stamps.
  if (/^(mpeg|ogg)/.test(header.format)) return false;
  // A fragmented file declares a length that its writer guessed at the start. Only missing bytes prove that it was cut
  // off.
  if (boxes?.fragmented && boxes.cutOff === false) return false;
  const timed = header.streams.filter((stream) => stream.kind !== "other" && !stream.still);
  const ofStreams = timed.flatMap((stream) => stream.declaredSeconds ?? []);
  const declaredByHeader = ofStreams.length > 0 ? ofStreams : [header.declaredSeconds ?? 0];
  const valid = (await hasUnfinishedHeader(file, header.format)) ? [] : declaredByHeader;
  const declared = Math.max(0, ...valid, (await declaredByShortFile(file, header.format)) ?? 0);
  return length.reachedSeconds < minShare * lengthFrom(declared, length.startSeconds);
}

/** Converts a declared end to a length. Many containers declare the time at the end, even if the clock starts late. */
function lengthFrom(declared: number, startSeconds: number): number {
  return declared > startSeconds ? declared - Math.max(0, startSeconds) : declared;
}

const minShare = 0.9;

/**
 * Returns the length in seconds from the header of an AVI or ASF file that is shorter than it declares, because ffmpeg
 * corrects or drops that length. Returns null for a complete file, or one without a declared length.
 */
async function declaredByShortFile(file: FileHandle, format: string): Promise<number | null> {
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
async function hasUnfinishedHeader(file: FileHandle, format: string): Promise<boolean> {
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
