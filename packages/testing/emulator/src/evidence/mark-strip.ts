import { frameSize } from "./frame-size.ts";

/**
 * One reading of a strip of marks (README, "Marks"): the ids of the marks that hold in this frame, and the text of one
 * of them.
 */
export type Strip = { active: number[]; record: { id: number; text: string } | undefined };

/** Reads the strip in a frame. Returns undefined for a frame without a strip, and for a strip whose checksum is wrong. */
export type StripReader = (frame: Uint8Array) => Strip | undefined;

const { width, height } = frameSize;
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
export function createStripReader(): StripReader {
  let known: number | undefined;
  return (frame) => {
    if (known !== undefined) return readStrip(frame, known);
    const fitting = shares.flatMap((share) => {
      const strip = readStrip(frame, share);
      return strip ? [{ share, strip }] : [];
    });
    const middle = fitting[fitting.length >> 1];
    known = middle?.share;
    return middle?.strip;
  };
}

function readStrip(frame: Uint8Array, share: number): Strip | undefined {
  if (sync.some((byte, index) => byteAt(frame, index, share) !== byte)) return undefined;
  const bytes = Uint8Array.from(
    { length: bytesOfStrip },
    (_, index) => byteAt(frame, index, share) ^ (index < sync.length ? 0 : maskOf(index)),
  );
  const checksum = ((bytes.at(-2) as number) << 8) | (bytes.at(-1) as number);
  const [count = 0, length = 0] = [bytes[2], bytes[recordAt + 1]];
  if (crc16(bytes.subarray(0, -2)) !== checksum || count > maxActive || length > maxTextBytes) return undefined;
  const id = bytes[recordAt] as number;
  const text = new TextDecoder().decode(bytes.subarray(recordAt + 2, recordAt + 2 + length));
  return { active: [...bytes.subarray(3, 3 + count)], record: id === 0 ? undefined : { id, text } };
}

/** Every byte after the first two is XORed with its mask, so that each row differs from the next. */
function maskOf(index: number): number {
  return (index * 151 + 85) & 255;
}

/** Returns eight cells as a byte, the leftmost cell as its highest bit. A light cell is 1. */
function byteAt(frame: Uint8Array, index: number, share: number): number {
  let byte = 0;
  for (let bit = 0; bit < 8; bit++) byte = (byte << 1) | (isLight(frame, index * 8 + bit, share) ? 1 : 0);
  return byte;
}

/** The strip is the lowest third of the picture: 64 by 12 cells. Looks at the middle of a cell. */
function isLight(frame: Uint8Array, cell: number, share: number): boolean {
  const x = ((cell % columns) * width) / columns;
  const y = Math.floor(height * share * (2 / 3 + (Math.floor(cell / columns) + 0.5) / (3 * rows)));
  const left = (y * width + x) * 3 + 1;
  return (frame[left] as number) + (frame[left + 3] as number) > 2 * 128;
}

/** Returns the CRC-16/CCITT of bytes. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
