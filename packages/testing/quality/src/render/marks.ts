import { crc32 } from "node:zlib";
import type { Value, VideoPlan } from "../cases/case.ts";

/** The size of the pictures, and their number per second. The emulator reads cells of two pixels in 128 × 72. */
export const picture = { width: 384, height: 216, perSecond: 10 };

/** The strip of marks: cells in the lowest third of the picture (packages/testing/emulator/README.md, "Marks"). */
export const strip = { columns: 64, rows: 12, cell: 6, top: 144 };

const bytesOfStrip = (strip.columns * strip.rows) / 8;
const maxActive = 8;
const recordAt = 3 + maxActive;
const maxTextBytes = bytesOfStrip - recordAt - 4;

/** Returns the cells of a strip, row by row, each 0 or 1. Throws when there are too many marks or too long a text. */
export function stripCells(active: readonly number[], record: { id: number; text: string } | undefined): Uint8Array {
  const text = Buffer.from(record?.text ?? "");
  if (active.length > maxActive) throw new Error(`A frame can have ${maxActive} marks, not ${active.length}.`);
  if (text.length > maxTextBytes) throw new Error(`A mark can have ${maxTextBytes} bytes: ${record?.text}`);
  const bytes = new Uint8Array(bytesOfStrip);
  bytes.set([0xa5, 0x3c, active.length, ...active]);
  bytes.set([record?.id ?? 0, text.length, ...text], recordAt);
  const checksum = crc32(bytes.subarray(0, -2)) & 0xffff;
  bytes.set([checksum >> 8, checksum & 255], bytesOfStrip - 2);
  // Without long runs of equal bits, each row differs from the next, so a reader finds the strip.
  for (let index = 2; index < bytesOfStrip; index++)
    bytes[index] = (bytes[index] as number) ^ ((index * 151 + 85) & 255);
  return Uint8Array.from(
    { length: bytesOfStrip * 8 },
    (_, bit) => ((bytes[bit >> 3] as number) >> (7 - (bit & 7))) & 1,
  );
}

/** A mark of a video: its id in the strip, its span in milliseconds and its text. */
export type Mark = { id: number; startMs: number; endMs: number; text: string };

/** Returns the marks of a video: one for the facts about the whole video, and one for each event. */
export function marksOf({ durationMs, facts, events }: VideoPlan): Mark[] {
  const whole = { startMs: 0, endMs: durationMs, text: textOf("video", "sight", facts) };
  const ofEvents = events.map(({ startMs, endMs, label, via, attributes }) => {
    return { startMs, endMs, text: textOf(label, via, attributes) };
  });
  return [whole, ...ofEvents].map((mark, index) => ({ id: index + 1, ...mark }));
}

function textOf(label: string, via: string, attributes: Record<string, Value>): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return [label, ...(via === "sight" ? [] : [`via=${via}`]), ...pairs].join("|");
}
