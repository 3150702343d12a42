import type { FileHandle } from "node:fs/promises";
import { declaredByShortFile, neverFinished } from "./declared-length.ts";
import type { Length } from "./measure-length.ts";
import type { Mp4Facts } from "./mp4-boxes.ts";
import type { Header } from "./read-header.ts";

/**
 * Whether a file ends before nine tenths of the length that it declares (docs/decisions/0001, "What is a video"). The
 * figures of its sound and pictures are held against what was found; the file's own only where they have none, as
 * chapters and data may run past the end.
 */
export async function stopsEarly(
  file: FileHandle,
  header: Header,
  boxes: Mp4Facts | null,
  length: Length,
): Promise<boolean> {
  // These end without having said how long they are; ffmpeg's figure is its own reading of their last time stamps.
  if (/^(mpeg|ogg)/.test(header.format)) return false;
  // The figures of a fragmented file are guesses made when it began: only missing bytes prove that it was cut.
  if (boxes?.fragmented && boxes.cutOff === false) return false;
  const timed = header.streams.filter((stream) => stream.kind !== "other" && !stream.still);
  const own = timed.flatMap((stream) => stream.declaredSeconds ?? []);
  const said = own.length > 0 ? own : [header.declaredSeconds ?? 0];
  const believed = (await neverFinished(file, header.format)) ? [] : said;
  const declared = Math.max(0, ...believed, (await declaredByShortFile(file, header.format)) ?? 0);
  return length.reachedSeconds < leastShare * spanOf(declared, length.startSeconds);
}

/** Many containers declare what the clock shows at the end, which is no length where it does not start at nothing. */
function spanOf(declared: number, startSeconds: number): number {
  return declared > startSeconds ? declared - Math.max(0, startSeconds) : declared;
}

const leastShare = 0.9;
