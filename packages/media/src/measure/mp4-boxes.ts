import type { FileHandle } from "node:fs/promises";

/** What the boxes of a file of the MP4 family say that ffprobe does not. */
export type Mp4Facts = {
  /** Its samples are described piece by piece, in `moof` boxes. */
  fragmented: boolean;
  /** A track is marked as encrypted. */
  encrypted: boolean;
  /** The last box claims more bytes than the file has; null where there are too many boxes to get to it. */
  cutOff: boolean | null;
};

/** Walks the boxes of an open file without reading what they hold; bounded, whatever the file claims. */
export async function readMp4Facts(file: FileHandle): Promise<Mp4Facts> {
  const { size } = await file.stat();
  const facts: Mp4Facts = { fragmented: false, encrypted: false, cutOff: false };
  const walked = { boxesLeft: mostBoxes, headAt: createHeadReader(file) };
  await walk(walked, 0, size, async (box) => {
    if (box.type === "moof") facts.fragmented = true;
    if (box.claimedEnd > size) facts.cutOff = true;
    if (box.type === "moov" && (await hasEncryptedTrack(walked, box))) facts.encrypted = true;
  });
  if (walked.boxesLeft === 0 && !facts.cutOff) facts.cutOff = null;
  return facts;
}

/** More than ten minutes of pictures and sound that each have a fragment of their own. */
const mostBoxes = 1_000_000;

/** `end` is never past what holds the box, and so never past the file; the box may claim more. */
type Box = { type: string; content: number; end: number; claimedEnd: number };
type Walked = { boxesLeft: number; headAt: (position: number) => Promise<Buffer> };

/** Sample entries that stand for encrypted media: common encryption, then what the iTunes shop sold. */
const encryptedEntries = new Set(["encv", "enca", "drmi", "drms", "drmt"]);

async function hasEncryptedTrack(walked: Walked, box: Box): Promise<boolean> {
  let found = false;
  await walk(walked, box.content, box.end, async (child) => {
    if (["trak", "mdia", "minf", "stbl"].includes(child.type)) found ||= await hasEncryptedTrack(walked, child);
    // A sample description begins with its version and its count of entries, then holds them as boxes.
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

/** Gives the first 16 bytes of boxes, or what there is of them. Those that lie close together are read at once. */
function createHeadReader(file: FileHandle): Walked["headAt"] {
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
