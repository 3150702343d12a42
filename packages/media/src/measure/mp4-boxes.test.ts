import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Mp4Facts, readMp4Facts } from "./mp4-boxes.ts";

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 4, "latin1");
  const whole = Buffer.concat([head, ...content]);
  whole.writeUInt32BE(whole.length, 0);
  return whole;
}

/** Returns a movie box with one track of this sample entry. */
function movie(sampleEntry: string): Buffer {
  const description = box("stsd", Buffer.alloc(8), box(sampleEntry, Buffer.alloc(70)));
  return box("moov", box("mvhd", Buffer.alloc(100)), box("trak", box("mdia", box("minf", box("stbl", description)))));
}

async function factsOf(...boxes: readonly Buffer[]): Promise<Mp4Facts> {
  const folder = await mkdtemp(join(tmpdir(), "mp4-boxes-"));
  try {
    await writeFile(join(folder, "file.mp4"), Buffer.concat(boxes));
    await using file = await open(join(folder, "file.mp4"));
    return await readMp4Facts(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a plain, complete file is neither encrypted, fragmented nor cut off", async () => {
  const facts = await factsOf(box("ftyp"), movie("avc1"), box("mdat", Buffer.alloc(50)));
  expect(facts).toEqual({ fragmented: false, encrypted: false, cutOff: false, mayHide: false });
});

test.each(["encv", "enca", "drmi"])("a track of %s samples is encrypted", async (entry) => {
  expect((await factsOf(box("ftyp"), box("mdat"), movie(entry))).encrypted).toBe(true);
});

test("a fragment anywhere makes a file fragmented", async () => {
  expect((await factsOf(movie("avc1"), box("mdat"), box("moof"))).fragmented).toBe(true);
});

test("a box that is longer than the rest of the file is cut off", async () => {
  expect((await factsOf(movie("avc1"), box("mdat", Buffer.alloc(50)).subarray(0, 30))).cutOff).toBe(true);
});

test("a 64-bit length is read, and a length below the header's ends the walk", async () => {
  expect((await factsOf(longBox("mdat", 16n), box("moof"))).fragmented).toBe(true);
  expect((await factsOf(longBox("mdat", 3n), box("moof"))).fragmented).toBe(false);
});

test("boxes with impossible lengths are walked to the end of the file", async () => {
  const facts = await factsOf(longBox("moov", 2n ** 62n), movie("encv").subarray(8), longBox("free", 2n ** 56n));
  expect(facts).toEqual({ fragmented: false, encrypted: true, cutOff: true, mayHide: true });
});

test.each([
  ["complete", 50, false],
  ["cut off", 30, true],
])("a file of thousands of fragments is recognised as %s", async (_name, bytes, cutOff) => {
  const fragments = Array.from({ length: 12_000 }, () => box("moof"));
  const facts = await factsOf(movie("avc1"), ...fragments, box("mdat", Buffer.alloc(50)).subarray(0, 8 + bytes));
  expect(facts).toEqual({ fragmented: true, encrypted: false, cutOff, mayHide: true });
});

test("cutOff is null for a file with more boxes than are walked", async () => {
  const fragments = Buffer.alloc(1_000_000 * 8, box("moof"));
  expect(await factsOf(movie("avc1"), fragments, box("mdat"))).toMatchObject({
    fragmented: true,
    cutOff: null,
    mayHide: true,
  });
});

function longBox(type: string, length: bigint): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1, 0);
  head.write(type, 4, "latin1");
  head.writeBigUInt64BE(length, 8);
  return head;
}
