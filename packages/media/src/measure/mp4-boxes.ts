import type { FileHandle } from "node:fs/promises";

/** What the boxes of a file of the MP4 family say that ffprobe does not. */
export type Mp4Facts = {
  /** Its samples are described piece by piece, in `moof` boxes. */
  fragmented: boolean;
  /** A track is marked as encrypted. */
  encrypted: boolean;
  /** The last box claims more bytes than the file has. */
  cutOff: boolean;
};

/** Walks the boxes of an open file without reading what they hold; bounded, whatever the file claims. */
export async function readMp4Facts(file: FileHandle): Promise<Mp4Facts> {
  const { size } = await file.stat();
  const facts: Mp4Facts = { fragmented: false, encrypted: false, cutOff: false };
  const budget = { boxes: mostBoxes };
  await walk(file, 0, size, budget, async (box) => {
    if (box.type === "moof") facts.fragmented = true;
    if (box.claimedEnd > size) facts.cutOff = true;
    if (box.type === "moov" && (await hasEncryptedTrack(file, box, budget))) facts.encrypted = true;
  });
  return facts;
}

const mostBoxes = 10_000;

/** `end` is never past what holds the box, and so never past the file; the box may claim more. */
type Box = { type: string; content: number; end: number; claimedEnd: number };
type Budget = { boxes: number };

/** Sample entries that stand for encrypted media: common encryption, then what the iTunes shop sold. */
const encryptedEntries = new Set(["encv", "enca", "drmi", "drms", "drmt"]);

async function hasEncryptedTrack(file: FileHandle, box: Box, budget: Budget): Promise<boolean> {
  let found = false;
  await walk(file, box.content, box.end, budget, async (child) => {
    if (["trak", "mdia", "minf", "stbl"].includes(child.type)) found ||= await hasEncryptedTrack(file, child, budget);
    // A sample description begins with its version and its count of entries, then holds them as boxes.
    if (child.type === "stsd")
      await walk(file, child.content + 8, child.end, budget, (entry) => {
        found ||= encryptedEntries.has(entry.type);
      });
  });
  return found;
}

async function walk(
  file: FileHandle,
  start: number,
  end: number,
  budget: Budget,
  visit: (box: Box) => void | Promise<void>,
): Promise<void> {
  const head = Buffer.alloc(16);
  for (let at = start; at + 8 <= end && budget.boxes > 0; ) {
    budget.boxes -= 1;
    const { bytesRead } = await file.read(head, 0, 16, at);
    if (bytesRead < 8) return;
    const short = head.readUInt32BE(0);
    const long = short === 1 && bytesRead === 16;
    const length = long ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
    if (length < (long ? 16 : 8)) return;
    const claimedEnd = at + length;
    const type = head.toString("latin1", 4, 8);
    await visit({ type, content: at + (long ? 16 : 8), end: Math.min(claimedEnd, end), claimedEnd });
    at = claimedEnd;
  }
}
