import { digitPictures, digitSize } from "./digit-pictures.ts";

/** The size of one picture of the clock, in pixels. */
export const clockSize = { width: 8 * digitSize.width, height: 48 };

/** The start and end of the clock, in milliseconds from the start of the whole video, and its pictures per second. */
export type ClockSpan = { fromMs: number; toMs: number; framesPerSecond: number };

/**
 * Draws the clock of a clip: white characters on black, one byte a pixel, one picture after the other. Picture n shows
 * the time of the clip's n-th picture in the whole video.
 */
export function drawClock({ fromMs, toMs, framesPerSecond }: ClockSpan): Buffer {
  const pictures = Math.ceil(((toMs - fromMs) / 1000) * framesPerSecond) + 1;
  const bytes = Buffer.alloc(pictures * clockSize.width * clockSize.height);
  for (let picture = 0; picture < pictures; picture++) {
    const text = clockText(fromMs + (picture * 1000) / framesPerSecond);
    const left = Math.floor((clockSize.width - text.length * digitSize.width) / 2);
    for (const [index, character] of [...text].entries()) {
      draw(bytes, picture * clockSize.height, left + index * digitSize.width, digitPictures[character] ?? "");
    }
  }
  return bytes;
}

/** Returns a position in the whole video as the clock shows it: `MM:SS.t`, rounded down to the tenth. */
function clockText(ms: number): string {
  // A hundredth of a millisecond keeps rounding errors from moving a time to the tenth before.
  const tenths = Math.floor((ms + 0.01) / 100);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(tenths / 600))}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

function draw(bytes: Buffer, top: number, left: number, rows: string): void {
  const margin = (clockSize.height - digitSize.height) / 2;
  for (let y = 0; y < digitSize.height; y++) {
    const bits = Number.parseInt(rows.slice(y * 6, y * 6 + 6) || "0", 16);
    const start = (top + margin + y) * clockSize.width + left;
    for (let x = 0; x < digitSize.width; x++) {
      if (bits & (1 << (digitSize.width - 1 - x))) bytes[start + x] = 255;
    }
  }
}
