import type { FileHandle } from "node:fs/promises";
import { declaredByShortFile, hasUnfinishedHeader } from "./declared-length.ts";
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
