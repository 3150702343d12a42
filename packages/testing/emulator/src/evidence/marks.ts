import { crc32 } from "node:zlib";
import { type Mark, overlap, type Span } from "./look.ts";

/** One reading of a strip of marks (README, "Marks"): the ids that hold in this frame, and the text of one. */
export type Strip = { active: number[]; record: { id: number; text: string } | undefined };

/** Reads the strip in a frame. Returns undefined for a frame without a strip, and for a strip whose checksum is wrong. */
export type StripReader = (frame: Uint8Array) => Strip | undefined;

type Size = { width: number; height: number };

const columns = 64;
const rows = 12;
const bytesOfStrip = (columns * rows) / 8;
const sync = [0xa5, 0x3c];
const maxActive = 8;
const recordAt = 3 + maxActive;
const maxTextBytes = bytesOfStrip - recordAt - 4;

/** There may be something below the picture, such as a clock. Then the picture has a smaller share of the height. */
const shares = Array.from({ length: 101 }, (_, index) => 1 - index / 250);

/** Creates a reader of the strips in small RGB frames. The first strip that it reads shows where the others are. */
export function createStripReader(size: Size): StripReader {
  let known: number | undefined;
  return (frame) => {
    if (known !== undefined) return readStrip(frame, size, known);
    const fitting = shares.flatMap((share) => {
      const strip = readStrip(frame, size, share);
      return strip ? [{ share, strip }] : [];
    });
    const middle = fitting[fitting.length >> 1];
    known = middle?.share;
    return middle?.strip;
  };
}

function readStrip(frame: Uint8Array, size: Size, share: number): Strip | undefined {
  if (sync.some((byte, index) => byteAt(frame, index, size, share) !== byte)) return undefined;
  // Every byte after the first two is XORed with a mask, so that each row differs from the next.
  const bytes = Uint8Array.from(
    { length: bytesOfStrip },
    (_, index) => byteAt(frame, index, size, share) ^ (index < sync.length ? 0 : (index * 151 + 85) & 255),
  );
  const written = ((bytes.at(-2) as number) << 8) | (bytes.at(-1) as number);
  const [count = 0, length = 0, checksum] = [bytes[2], bytes[recordAt + 1], crc32(bytes.subarray(0, -2)) & 0xffff];
  if (written !== checksum || count > maxActive || length > maxTextBytes) return undefined;
  const id = bytes[recordAt] as number;
  const text = new TextDecoder().decode(bytes.subarray(recordAt + 2, recordAt + 2 + length));
  return { active: [...bytes.subarray(3, 3 + count)], record: id === 0 ? undefined : { id, text } };
}

/** Returns eight cells as a byte, the leftmost cell as its highest bit. A light cell is 1. */
function byteAt(frame: Uint8Array, index: number, size: Size, share: number): number {
  let byte = 0;
  for (let bit = 0; bit < 8; bit++) byte = (byte << 1) | (isLight(frame, index * 8 + bit, size, share) ? 1 : 0);
  return byte;
}

/** The strip is the lowest third of the picture: 64 by 12 cells. Looks at the middle of a cell. */
function isLight(frame: Uint8Array, cell: number, { width, height }: Size, share: number): boolean {
  const x = ((cell % columns) * width) / columns;
  const y = Math.floor(height * share * (2 / 3 + (Math.floor(cell / columns) + 0.5) / (3 * rows)));
  const left = (y * width + x) * 3 + 1;
  return (frame[left] as number) + (frame[left + 3] as number) > 2 * 128;
}

/** Frames without a readable strip, at most, inside a mark. */
const maxGapFrames = 6;
/** The smallest share of a mark of sound that is not silent. */
const minAudible = 0.4;

/** Returns the marks in order of time. One of speech or sound counts only where the video is not silent. */
export function findMarks(strips: readonly (Strip | undefined)[], frameMs: number, silent: readonly Span[]): Mark[] {
  const texts = new Map<number, string>();
  for (const strip of strips) if (strip?.record) texts.set(strip.record.id, strip.record.text);
  const open = new Map<number, { from: number; to: number }>();
  const runs: { id: number; from: number; to: number }[] = [];
  const close = (id: number) => {
    const run = open.get(id);
    if (run) runs.push({ id, ...run });
    open.delete(id);
  };
  for (const [index, strip] of strips.entries()) {
    if (!strip) continue;
    for (const [id, run] of open) {
      if (index - run.to > maxGapFrames || !strip.active.includes(id)) close(id);
    }
    for (const id of strip.active) {
      const run = open.get(id);
      if (run) run.to = index + 1;
      else open.set(id, { from: index, to: index + 1 });
    }
  }
  for (const id of [...open.keys()]) close(id);
  return runs
    .flatMap(({ id, from, to }) => markOf(texts.get(id), { startMs: from * frameMs, endMs: to * frameMs }))
    .filter((mark) => isAudible(mark, silent))
    .sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

function markOf(text: string | undefined, span: Span): Mark[] {
  if (text === undefined) return [];
  const [label = "", ...pairs] = text.split("|");
  const values = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const { via = "sight", ...attributes } = Object.fromEntries(values);
  return [{ ...span, label, via, attributes }];
}

function isAudible({ via, startMs, endMs }: Mark, silent: readonly Span[]): boolean {
  if (via !== "speech" && via !== "sound") return true;
  const quiet = silent.reduce((sum, span) => sum + Math.max(0, overlap(span, { startMs, endMs })), 0);
  return 1 - quiet / (endMs - startMs) >= minAudible;
}
