import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { box } from "./mp4-boxes.harness.ts";
import { type Mp4Facts, mayHideMedia, readMp4Facts } from "./mp4-boxes.ts";

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

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, 4 * index);
  return bytes;
}

const speed = 0x10000;
type Edit = readonly [duration: number, start: number, speed?: number];

/** Returns an edit list box. Durations are in thousandths of a second, starts in ticks of the track. */
function editList(...edits: readonly Edit[]): Buffer {
  const entries = edits.map(([duration, start, rate = speed]) => numbers(duration, start, rate));
  return box("edts", box("elst", Buffer.concat([numbers(0, edits.length), ...entries])));
}

type Track = { edits?: Buffer; steps?: number[]; delays?: number[]; samples?: number; more?: Buffer };

/** Returns a track with a clock of 1000 ticks a second. By default: 100 samples of 40 ms. */
function track({ edits, steps = [100, 40], delays, samples = 100, more }: Track): Buffer {
  const table = [
    box("stts", numbers(0, steps.length / 2, ...steps)),
    ...(delays ? [box("ctts", numbers(0, delays.length / 2, ...delays))] : []),
    box("stsz", numbers(0, 1, samples)),
  ];
  const media = box("mdia", Buffer.concat([clock("mdhd"), box("minf", box("stbl", Buffer.concat(table)))]));
  return box("trak", Buffer.concat([...(edits ? [edits] : []), media, ...(more ? [more] : [])]));
}

function clock(type: string): Buffer {
  return box(type, numbers(0, 0, 0, 1000, 4000, 0));
}

const mayHide = (...tracks: readonly Track[]) => mayHideMedia(Buffer.concat([clock("mvhd"), ...tracks.map(track)]));

test("a movie without edit lists hides nothing", () => {
  expect(mayHide({}, {})).toBe(false);
});

test.each([
  ["shows everything", editList([4000, 0])],
  ["skips the samples that a decoder needs to start", editList([3900, 100])],
  ["begins with a blank stretch", editList([86_000_000, -1], [4000, 0])],
])("an edit list that %s hides nothing", (_name, edits) => {
  expect(mayHide({}, { edits })).toBe(false);
});

test("pictures that are shown later than they are decoded are not hidden", () => {
  expect(mayHide({ edits: editList([4000, 80]), delays: [100, 80] })).toBe(false);
});

test.each([
  ["starts late", editList([3000, 1000])],
  ["ends early", editList([3000, 0])],
  ["shows nothing", editList([0, 0])],
  ["has no entry", editList()],
  ["repeats a part", editList([4000, 0], [4000, 0])],
  ["leaves a gap", editList([1000, 0], [1000, -1], [2000, 2000])],
  ["plays at another speed", editList([4000, 0, speed / 2])],
  ["starts below zero", editList([4000, -2])],
  ["declares more entries than it has", box("edts", box("elst", numbers(0, 9, 4000, 0, speed)))],
])("an edit list that %s may hide something", (_name, edits) => {
  expect(mayHide({}, { edits })).toBe(true);
});

test("many samples within the first moment may be hidden", () => {
  const steps = [1000, 0, 100, 40];
  expect(mayHide({ edits: editList([3900, 1]), steps, samples: 1100 })).toBe(true);
});

test("a sample that is shown long after the others may be hidden", () => {
  expect(mayHide({ edits: editList([4000, 0]), delays: [99, 0, 1, 500_000] })).toBe(true);
});

test.each([
  ["more samples than times", { samples: 101 }],
  ["fewer samples than times", { samples: 99 }],
  ["billions of samples", { samples: 0xffffffff, steps: [0xffffffff, 40] }],
  ["an edit list in another place", { more: editList([1000, 0]).subarray(8) }],
  ["two edit lists", { more: editList([1000, 0]) }],
  ["a second clock", { more: box("udta", clock("mdhd")) }],
  ["a track for its chapters", { more: box("tref", box("chap", numbers(2))) }],
])("a track with an edit list and %s may hide something", (_name, changed) => {
  expect(mayHide({ edits: editList([4000, 0]), ...changed })).toBe(true);
});
