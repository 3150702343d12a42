import type { FileHandle } from "node:fs/promises";
import { maxMovieBytes, mayHideMedia } from "./edit-lists.ts";
import { createHeadReader } from "./head-reader.ts";

/** Facts from the boxes of a file of the MP4 family that ffprobe does not report. */
export type Mp4Facts = {
  /** Its samples are described in `moof` boxes. */
  fragmented: boolean;
  /** A track is marked as encrypted. */
  encrypted: boolean;
  /** The last box is longer than the rest of the file. Null if there are too many boxes to reach it. */
  cutOff: boolean | null;
  /** Edit lists or chapter references may hide sound or pictures. */
  mayHide: boolean;
};

/** Walks the boxes of an open file without reading their contents. The work is limited, whatever the file declares. */
export async function readMp4Facts(file: FileHandle): Promise<Mp4Facts> {
  const { size } = await file.stat();
  const facts: Mp4Facts = { fragmented: false, encrypted: false, cutOff: false, mayHide: true };
  const movies: Box[] = [];
  let isPlain = true;
  const walked = { boxesLeft: maxBoxes, headAt: createHeadReader(file) };
  await walk(walked, 0, size, async (box) => {
    if (box.type === "moof") facts.fragmented = true;
    if (box.type === "moov") movies.push(box);
    else if (!inertBoxes.has(box.type)) isPlain = false;
    if (box.claimedEnd > size) facts.cutOff = true;
    if (box.type === "moov" && (await hasEncryptedTrack(walked, box))) facts.encrypted = true;
  });
  if (walked.boxesLeft === 0 && !facts.cutOff) facts.cutOff = null;
  const [movie] = movies;
  const isWhole = isPlain && facts.cutOff === false;
  if (movie && movies.length === 1 && isWhole) facts.mayHide = await readMayHide(file, movie);
  return facts;
}

/** Boxes beside the movie box that do not describe samples. */
const inertBoxes = new Set(["ftyp", "free", "skip", "wide", "mdat", "pnot"]);

async function readMayHide(file: FileHandle, { content, end }: Box): Promise<boolean> {
  if (end - content > maxMovieBytes) return true;
  const movie = Buffer.alloc(end - content);
  const { bytesRead } = await file.read(movie, 0, movie.length, content);
  return mayHideMedia(movie.subarray(0, bytesRead));
}

/** More than a video of ten minutes has if every picture and sound packet is a fragment. */
const maxBoxes = 1_000_000;

/**
 * `end` is limited to the end of the parent box, and so to the end of the file. `claimedEnd` is what the box declares.
 */
type Box = { type: string; content: number; end: number; claimedEnd: number };
type Walked = { boxesLeft: number; headAt: ReturnType<typeof createHeadReader> };

/** Sample entries of encrypted media: common encryption, then the iTunes store. */
const encryptedEntries = new Set(["encv", "enca", "drmi", "drms", "drmt"]);

async function hasEncryptedTrack(walked: Walked, box: Box): Promise<boolean> {
  let found = false;
  await walk(walked, box.content, box.end, async (child) => {
    if (["trak", "mdia", "minf", "stbl"].includes(child.type)) found ||= await hasEncryptedTrack(walked, child);
    // A sample description holds its version, the number of entries, and then the entries as boxes.
    if (child.type === "stsd")
      await walk(walked, child.content + 8, child.end, (entry) => {
        found ||= encryptedEntries.has(entry.type);
      });
  });
  return found;
}

async function walk(
  walked: Walked,
  start: number,
  end: number,
  visit: (box: Box) => void | Promise<void>,
): Promise<void> {
  for (let at = start; at + 8 <= end && walked.boxesLeft > 0; ) {
    walked.boxesLeft -= 1;
    const head = await walked.headAt(at);
    if (head.length < 8) return;
    const short = head.readUInt32BE(0);
    const long = short === 1 && head.length === 16;
    const length = long ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    if (length < (long ? 16 : 8)) return;
    const claimedEnd = at + length;
    const type = head.toString("latin1", 4, 8);
    await visit({ type, content: at + (long ? 16 : 8), end: Math.min(claimedEnd, end), claimedEnd });
    at = claimedEnd;
  }
}
