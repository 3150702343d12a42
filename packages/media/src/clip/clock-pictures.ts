/** The size of one picture of `digitPictures`, in pixels. */
const digitSize = { width: 24, height: 32 };

/**
 * The characters of the clock as pictures: a line of six hexadecimal digits for each row of pixels, one bit a pixel. Drawing
 * them ourselves needs no font and no library on the machine, so every build of ffmpeg shows the same clock.
 */
const digitPictures: Readonly<Record<string, string>> = {
  "0":
    "000000000000007c0001ff0007ff8007ffc00fffe00fc7e01f83f01f83f01f01f01f01f01f01f03f01f03f01f83f01f8" +
    "3f01f83f01f83f39f83f01f01f01f01f01f01f01f01f83f01f83f00fc7e00fffe007ffc007ff8001ff00007c00000000",
  "1":
    "00000000000000000001fe000ffe000ffe000ffe000ffe000e3e00003e00003e00003e00003e00003e00003e00003e00" +
    "003e00003e00003e00003e00003e00003e00003e00003e00003e00003e001ffff81ffff81ffff81ffff81ffff8000000",
  "2":
    "00000000000007fc001fff001fffc01fffc01fffe0180fe00007f00003f00003f00003f00003e00007e00007c0000fc0" +
    "001f80003f00007e0000fc0001f80001f00003e00007c0000f80001f80003ffff03ffff03ffff03ffff03ffff0000000",
  "3":
    "00000000000003fc001fff001fffc01fffe01fffe01c0fe00003f00003f00003f00003f00003e00007e001ffc001ff80" +
    "01fe0001ff8001ffe00007e00003f00001f00001f00001f00001f03807f03ffff03fffe03fffc03fff8007fe00000000",
  "4":
    "000000000000000000000fc0001fc0001fc0003fc0003fc0007fc000ffc000f7c001e7c003e7c003c7c00787c00f87c0" +
    "0f07c01e07c01e07c03c07c03ffff83ffff83ffff83ffff83ffff80007c00007c00007c00007c00007c00007c0000000",
  "5":
    "0000000000000000000fffe00fffe00fffe00fffe00fffe00f00000f00000f00000f00000f00000ffc000fff000fffc0" +
    "0fffe00fffe00c0ff00003f00001f00001f00001f00001f00003f0180ff01fffe01fffc01fffc01fff0007fc00000000",
  "6":
    "000000000000003f8000ffe003ffe007ffe007ffe00fe0600fc0001f80001f00001f00001f3f001f7fc01fffe03ffff0" +
    "3ffff03fc3f03f81f81f81f81f00f81f00f81f00f81f81f81f81f00fc3f00ffff007ffe003ffc001ff80007e00000000",
  "7":
    "0000000000000000003ffff03ffff03ffff03ffff03ffff00003e00007e00007e00007c0000fc0000f80000f80001f80" +
    "001f00003f00003e00003e00007e00007c0000fc0000fc0000f80001f80001f00003f00003f00003e00007e000000000",
  "8":
    "00000000000000fe0003ff8007ffc00fffe00fffe01fc7e01f83f01f01f01f01f01f01f01f83e00fc7e007ffc003ff80" +
    "01ff0007ffc00fffe01f83f01f01f01e01f03e00f03e01f01f01f01f83f01ffff00fffe00fffc003ff8000fe00000000",
  "9":
    "00000000000000fc0003ff000fff800fffc01fffe01f87e03f03f03f03f03e01f03e01f03e01f03f03f03f03f01f87f0" +
    "1ffff01ffff00ffff007fdf001f9f00001f00001f00003f00007e0080fe00fffc00fff800fff800ffe0003f800000000",
  ":":
    "00000000000000000000000000000000000000000000000000000000000000000000fe0000fe0000fe0000fe0000fe00" +
    "00fe0000fe0000000000000000000000000000000000000000fe0000fe0000fe0000fe0000fe0000fe0000fe00000000",
  ".":
    "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
    "00000000000000000000000000000000000000000000000000fe0000fe0000fe0000fe0000fe0000fe0000fe00000000",
};

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
