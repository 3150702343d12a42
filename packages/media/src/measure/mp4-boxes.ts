import type { FileHandle } from "node:fs/promises";

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

/**
 * Returns whether a movie's edit lists and chapter references may hide more than a moment of sound or pictures from a
 * reader that follows them. False only if every relevant box occurs once, in its usual place, and the lists skip only
 * the few samples that a decoder needs to start. That is true of most files.
 *
 * @param movie the content of the file's only `moov` box.
 */
export function mayHideMedia(movie: Buffer): boolean {
  if (has(movie, "chap") || has(movie, "cmov")) return true;
  if (!has(movie, "elst")) return false;
  if (count(movie, "trak") > maxTracks) return true;
  const tracks = childrenOf(movie, "trak");
  const [header, ...others] = childrenOf(movie, "mvhd");
  const read = tracks.map(readTrack);
  if (!header || others.length > 0 || read.includes(null)) return true;
  // ffmpeg may find a box in places where this function does not look.
  if (count(movie, "trak") !== tracks.length) return true;
  const found = read.reduce((sum, track) => sum + (track?.boxes ?? 0), 0);
  if (["mdhd", "elst", "stts", "ctts", "stsz", "stz2"].reduce((sum, name) => sum + count(movie, name), 0) !== found)
    return true;
  const movieTicks = ticksPerSecond(header);
  return read.some((track) => track !== null && hidesSamples(track, movieTicks));
}

/** The largest movie box whose edit lists are read. Ten minutes of video need less than one million bytes. */
const maxMovieBytes = 16 * 1024 * 1024;

/** ffmpeg refuses a file with more streams. */
const maxTracks = 100;

type Track = {
  ticks: number;
  edits: Buffer | null;
  steps: Buffer;
  delays: Buffer | null;
  samples: number;
  boxes: number;
};

/** Returns null if a box that a track needs is missing, too short, or occurs twice. */
function readTrack(track: Buffer): Track | null {
  const lists = below(track, ["edts", "elst"]);
  const clocks = below(track, ["mdia", "mdhd"]);
  const [steps, delays, sizes] = ["stts", "ctts", "stsz"].map((name) => below(track, ["mdia", "minf", "stbl", name]));
  const [clock, step, size] = [clocks[0], steps?.[0], sizes?.[0]];
  const all = [lists, clocks, steps ?? [], delays ?? [], sizes ?? []];
  if (!clock || !step || !size || all.some((boxes) => boxes.length > 1)) return null;
  if (clock.length < 24 || step.length < 8 || size.length < 12) return null;
  return {
    ticks: ticksPerSecond(clock),
    edits: lists[0] ?? null,
    steps: step,
    delays: delays?.[0] ?? null,
    samples: size.readUInt32BE(8),
    boxes: all.reduce((sum, boxes) => sum + boxes.length, 0),
  };
}

/** Reads the clock of a `mvhd` or `mdhd` box. Its version decides where it is. */
function ticksPerSecond(header: Buffer): number {
  const at = header[0] === 1 ? 20 : 12;
  return header.length < at + 4 ? 0 : header.readUInt32BE(at);
}

const maxSamples = 2_000_000;
const maxHiddenSamples = 8;
const maxHiddenSeconds = 0.5;

/** Returns whether the edit list of a track hides more than a few samples, or more than a moment. */
function hidesSamples(track: Track, movieTicks: number): boolean {
  if (track.edits === null) return false;
  const shown = readShownPart(track.edits);
  if (!shown || !(movieTicks > 0) || !(track.ticks > 0) || track.samples > maxSamples) return true;
  const end = shown.start + (shown.duration * track.ticks) / movieTicks;
  const slack = maxHiddenSeconds * track.ticks;
  const [steps, delays] = [createRuns(track.steps, false), track.delays && createRuns(track.delays, true)];
  let decoded = 0;
  let hidden = 0;
  for (let sample = 0; sample < track.samples; sample++) {
    const step = steps();
    const delay = delays ? delays() : 0;
    if (step === null || delay === null) return true;
    const time = decoded + delay;
    decoded += step;
    if (time >= shown.start && time < end) continue;
    hidden += 1;
    if (hidden > maxHiddenSamples || time < shown.start - slack || time + step > end + slack) return true;
  }
  return steps() !== null;
}

/** Returns the single part that an edit list shows, in ticks: of the track for `start`, of the movie for `duration`. */
function readShownPart(edits: Buffer): { start: number; duration: number } | null {
  const long = edits[0] === 1;
  const entry = long ? 20 : 12;
  if (edits.length < 8 || (edits[0] ?? 0) > 1) return null;
  const entries = edits.readUInt32BE(4);
  if (entries === 0 || edits.length < 8 + entries * entry) return null;
  for (let index = 0; index < entries; index++) {
    const at = 8 + index * entry;
    const duration = long ? Number(edits.readBigUInt64BE(at)) : edits.readUInt32BE(at);
    const start = long ? Number(edits.readBigInt64BE(at + 8)) : edits.readInt32BE(at + 4);
    // An empty edit before the first sample.
    if (start === -1) continue;
    const isLast = index === entries - 1;
    const isPlain = edits.readUInt32BE(at + entry - 4) === 0x10000;
    return isLast && isPlain && start >= 0 && duration > 0 ? { start, duration } : null;
  }
  return null;
}

/**
 * Returns a function that reads a table of runs, each a count and a value. The function returns the next value, or null
 * at the end.
 */
function createRuns(table: Buffer, signed: boolean): () => number | null {
  let at = 0;
  let left = 0;
  let value = 0;
  return () => {
    while (left === 0) {
      at += 8;
      if (at + 8 > table.length || at / 8 > table.readUInt32BE(4)) return null;
      left = table.readUInt32BE(at);
      value = signed ? table.readInt32BE(at + 4) : table.readUInt32BE(at + 4);
    }
    left -= 1;
    return value;
  };
}

/** Returns the contents of the boxes at a path of names. */
function below(content: Buffer, [name = "", ...rest]: readonly string[]): Buffer[] {
  const boxes = childrenOf(content, name);
  return rest.length === 0 ? boxes : boxes.flatMap((box) => below(box, rest));
}

/** Returns the contents of the boxes of this name directly in a box. */
function childrenOf(content: Buffer, name: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 8 <= content.length; ) {
    const length = content.readUInt32BE(at);
    // 64-bit lengths occur in media data only.
    if (length < 8) return found;
    if (content.toString("latin1", at + 4, at + 8) === name) found.push(content.subarray(at + 8, at + length));
    at += length;
  }
  return found;
}

function has(content: Buffer, name: string): boolean {
  return content.includes(name, 0, "latin1");
}

function count(content: Buffer, name: string): number {
  let found = 0;
  for (let at = content.indexOf(name, 0, "latin1"); at >= 0; at = content.indexOf(name, at + 4, "latin1")) found += 1;
  return found;
}

/**
 * Returns a function that reads 16 bytes from a position in a file, or fewer at the end of the file. It reads close
 * positions together.
 */
export function createHeadReader(file: FileHandle): (position: number) => Promise<Buffer> {
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
