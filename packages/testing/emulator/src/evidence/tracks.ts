import { FfmpegFailure, type RunContext, runFfmpeg } from "@video-to-json/media";
import { createStripReader, type Strip } from "./marks.ts";

/** The size of the pictures that are measured, and their number per second. */
export const frameSize = { width: 128, height: 72, perSecond: 25 };

const limits = { timeoutMs: 300_000 };
const maxSeconds = "3600";

/** The size of the first frame, what the header states of duration and rate, if anything, and whether there is sound. */
export type FirstFrame = {
  width: number;
  height: number;
  durationMs: number | undefined;
  framesPerSecond: number | undefined;
  hasSound: boolean;
};

/** Decodes the first frame. Rejects with `FfmpegFailure` or an `Error` if there is no picture. */
export async function readFirstFrame(path: string, context: RunContext): Promise<FirstFrame> {
  const outputOptions = ["-map", "0:V:0", "-frames:v", "1", "-vf", "showinfo", "-f", "null"];
  const { stderr } = await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 60_000, ...context });
  const size = / s:(\d+)x(\d+) /.exec(stderr);
  if (!size) throw new Error("ffmpeg decoded no frame.");
  const clock = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(stderr);
  const seconds = clock && Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  const rate = /, (\d+(?:\.\d+)?) fps/.exec(stderr);
  return {
    framesPerSecond: rate ? Number(rate[1]) : undefined,
    width: Number(size[1]),
    height: Number(size[2]),
    durationMs: seconds === null ? undefined : Math.round(seconds * 1000),
    hasSound: /^ *Stream #0:.*: Audio: /m.test(stderr),
  };
}

/** The measurements of one frame: its difference from the one before, its colours, and its strip of marks, if any. */
export type Frame = {
  /** The mean absolute difference of the channels, from 0 to 255. */
  difference: number;
  colors: Uint16Array;
  strip: Strip | undefined;
};

/** Decodes the picture once, in a small size, without its lowest `cropBottom` rows. Frame n shows the n-th 1/25 second. */
export async function readFrames(path: string, context: RunContext, cropBottom: number): Promise<Frame[]> {
  const { width, height, perSecond } = frameSize;
  // Rounding down keeps a cut in the second in which it happens.
  const crop = cropBottom > 0 ? `crop=iw:ih-${cropBottom}:0:0,` : "";
  const filters = `${crop}fps=${perSecond}:start_time=0:round=down,scale=${width}:${height}:flags=area,format=rgb24`;
  const outputOptions = ["-map", "0:V:0", "-t", maxSeconds, "-vf", filters, "-f", "rawvideo"];
  const { add, frames } = createFrameTrack();
  await runFfmpeg({ input: path, outputOptions, output: "-" }, { ...limits, ...context, onStdout: add });
  return frames;
}

function createFrameTrack(): { add(bytes: Buffer): void; frames: Frame[] } {
  const bytesOfFrame = frameSize.width * frameSize.height * 3;
  let [current, previous, filled] = [new Uint8Array(bytesOfFrame), new Uint8Array(bytesOfFrame), 0];
  const frames: Frame[] = [];
  const readStrip = createStripReader(frameSize);
  function add(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + bytesOfFrame - filled);
      current.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < bytesOfFrame) return;
      const before = frames.length === 0 ? current : previous;
      frames.push({ ...measure(current, before), strip: readStrip(current) });
      [current, previous, filled] = [previous, current, 0];
    }
  }
  return { add, frames };
}

function measure(frame: Uint8Array, before: Uint8Array): Pick<Frame, "difference" | "colors"> {
  const colors = new Uint16Array(colorNames.length);
  let difference = 0;
  for (let at = 0; at < frame.length; at += 3) {
    const [red, green, blue] = [frame[at] as number, frame[at + 1] as number, frame[at + 2] as number];
    difference +=
      Math.abs(red - (before[at] as number)) +
      Math.abs(green - (before[at + 1] as number)) +
      Math.abs(blue - (before[at + 2] as number));
    const number = colorNumber(red, green, blue);
    colors[number] = (colors[number] as number) + 1;
  }
  return { difference: difference / frame.length, colors };
}

/** The length of the sound that one level measures, in milliseconds. */
export const levelMs = 50;

const bytesPerLevel = (8000 * levelMs * 2) / 1000;

/** Returns the levels of the sound in decibels of full scale, one for every `levelMs`, or null without decodable sound. */
export async function readLevels(path: string, context: RunContext): Promise<number[] | null> {
  const levels: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const onStdout = (chunk: Buffer) => {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + bytesPerLevel <= bytes.length; at += bytesPerLevel) levels.push(levelOf(bytes, at));
    rest = bytes.subarray(at);
  };
  // The filter writes silence until a late track starts.
  const samples = ["-ac", "1", "-ar", "8000", "-af", "aresample=async=1:first_pts=0", "-f", "s16le"];
  const outputOptions = ["-map", "0:a:0", "-t", maxSeconds, "-vn", ...samples];
  try {
    await runFfmpeg({ input: path, outputOptions, output: "-" }, { ...limits, ...context, onStdout });
  } catch (error) {
    if (!(error instanceof FfmpegFailure && error.reason === "exit")) throw error;
    if (levels.length === 0) return null;
  }
  return levels;
}

function levelOf(bytes: Buffer, from: number): number {
  let sum = 0;
  for (let at = from; at < from + bytesPerLevel; at += 2) sum += bytes.readInt16LE(at) ** 2;
  return 20 * Math.log10(Math.sqrt(sum / (bytesPerLevel / 2)) / 32768 + 1e-6);
}

/** The colours that the emulator can name, each with samples, because a name covers a region of colours. */
const colors: Readonly<Record<string, readonly number[]>> = {
  red: [0xff0000, 0xcc0000, 0xdc143c],
  green: [0x008000, 0x00ff00, 0x228b22, 0x90ee90, 0x004000],
  blue: [0x0000ff, 0x1e90ff, 0x4169e1, 0x000080, 0x87ceeb],
  yellow: [0xffff00, 0xffd700, 0xf0e68c],
  orange: [0xffa500, 0xff8c00],
  purple: [0x800080, 0x8a2be2, 0x4b0082],
  pink: [0xffc0cb, 0xff69b4],
  cyan: [0x00ffff, 0x008b8b, 0x40e0d0],
  magenta: [0xff00ff],
  brown: [0xa52a2a, 0x8b4513],
  black: [0x000000, 0x111111],
  white: [0xffffff, 0xf0f0f0],
  gray: [0x808080, 0x555555, 0xc0c0c0],
};

export const colorNames = Object.keys(colors);

const samples = Object.values(colors).flatMap((values, name) => values.map((hex) => ({ name, lab: labOf(hex) })));
/** The number of a colour's name plus 1, for colours of four bits a channel. 0 is not known yet. */
const known = new Uint8Array(4096);

function colorNumber(red: number, green: number, blue: number): number {
  const bin = ((red & 0xf0) << 4) | (green & 0xf0) | (blue >> 4);
  if (known[bin] === 0) known[bin] = 1 + nearest(labOf((red << 16) | (green << 8) | blue));
  return (known[bin] ?? 1) - 1;
}

function nearest(lab: readonly number[]): number {
  const distances = samples.map((sample) =>
    sample.lab.reduce((sum, value, at) => sum + (value - (lab[at] ?? 0)) ** 2, 0),
  );
  return samples[distances.indexOf(Math.min(...distances))]?.name ?? 0;
}

/** Converts to CIE Lab, where colours that look similar are close. */
function labOf(hex: number): [number, number, number] {
  const [r = 0, g = 0, b = 0] = [hex >> 16, (hex >> 8) & 255, hex & 255].map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function curve(value: number): number {
  return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116;
}
