import type { FileHandle } from "node:fs/promises";
import { declaredByShortFile } from "./declared-length.ts";
import type { Length } from "./measure-length.ts";
import type { Mp4Facts } from "./mp4-boxes.ts";
import type { Header } from "./read-header.ts";

/**
 * Whether a file ends before nine tenths of the length that it declares (docs/decisions/0001, "What is a video"). Both the
 * file's figure and those of its sound and pictures are held against what was found.
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
  if (boxes?.fragmented && !boxes.cutOff) return false;
  const declared = [
    header.declaredSeconds,
    ...header.streams.filter((stream) => stream.kind !== "other" && !stream.still).map((s) => s.declaredSeconds),
    await declaredByShortFile(file, header.format),
  ];
  return length.reachedSeconds < leastShare * Math.max(...declared.map((seconds) => seconds ?? 0));
}

const leastShare = 0.9;
