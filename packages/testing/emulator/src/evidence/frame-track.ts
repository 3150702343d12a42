import { frameSize } from "./frame-size.ts";
import { createStripReader, type Strip } from "./mark-strip.ts";
import { binOf, colorBins } from "./palette.ts";

/** The measurements of one frame, and its difference from the frame before. */
export type FrameMeasure = {
  /** The mean luma, from 0 to 1. */
  luma: number;
  isBlack: boolean;
  /** The mean absolute difference of the channels, from 0 to 255. */
  difference: number;
  /** The share of pixels that differ visibly. */
  changed: number;
  /** The distance of the coarse colour histograms: 0 for the same colours, 1 for no colour in common. */
  recolored: number;
  /** The coarse colour histogram, with two bits a channel, as shares. */
  colors: Float32Array;
};

/** Measures raw RGB frames while their bytes arrive. */
export type FrameTrack = {
  add(bytes: Buffer): void;
  frames: FrameMeasure[];
  /** Fine colour histograms, one every `histogramEvery` frames. */
  histograms: Uint16Array[];
  /** The strip of marks of each frame, where there is one. */
  strips: (Strip | undefined)[];
};

/** The number of frames from one fine histogram to the next. */
export const histogramEvery = 5;

/** Creates a track without frames. */
export function createFrameTrack(): FrameTrack {
  const bytesOfFrame = frameSize.width * frameSize.height * 3;
  let current = new Uint8Array(bytesOfFrame);
  let previous = new Uint8Array(bytesOfFrame);
  let filled = 0;
  const frames: FrameMeasure[] = [];
  const histograms: Uint16Array[] = [];
  const strips: (Strip | undefined)[] = [];
  const readStrip = createStripReader();
  return {
    frames,
    histograms,
    strips,
    add(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const part = bytes.subarray(from, from + bytesOfFrame - filled);
        current.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled < bytesOfFrame) return;
        frames.push(measure(current, frames.length === 0 ? current : previous, frames.at(-1)?.colors));
        strips.push(readStrip(current));
        if ((frames.length - 1) % histogramEvery === 0) histograms.push(histogramOf(current));
        [current, previous] = [previous, current];
        filled = 0;
      }
    },
  };
}

/** The smallest difference of a channel, of 255, that the eye can see. */
const visibleDifference = 14;
const maxBlackLuma = 34;
const minBlackShare = 0.985;

function measure(frame: Uint8Array, before: Uint8Array, colorsBefore: Float32Array | undefined): FrameMeasure {
  const pixels = frame.length / 3;
  const colors = new Float32Array(64);
  let luma = 0;
  let dark = 0;
  let difference = 0;
  let changed = 0;
  for (let at = 0; at < frame.length; at += 3) {
    const red = frame[at] as number;
    const green = frame[at + 1] as number;
    const blue = frame[at + 2] as number;
    const bright = (red * 299 + green * 587 + blue * 114) / 1000;
    luma += bright;
    // A dark pure blue has a low luma but is not black.
    if (bright < maxBlackLuma && red < maxBlackLuma * 1.4 && blue < maxBlackLuma * 1.4) dark += 1;
    const inRed = Math.abs(red - (before[at] as number));
    const inGreen = Math.abs(green - (before[at + 1] as number));
    const inBlue = Math.abs(blue - (before[at + 2] as number));
    difference += inRed + inGreen + inBlue;
    if (inRed > visibleDifference || inGreen > visibleDifference || inBlue > visibleDifference) changed += 1;
    const bin = ((red >> 6) << 4) | ((green >> 6) << 2) | (blue >> 6);
    colors[bin] = (colors[bin] as number) + 1 / pixels;
  }
  return {
    luma: luma / pixels / 255,
    isBlack: dark / pixels >= minBlackShare,
    difference: difference / frame.length,
    changed: changed / pixels,
    recolored: colorsBefore ? colorDistance(colors, colorsBefore) : 0,
    colors,
  };
}

/** Returns the distance of two coarse histograms, from 0 to 1. */
export function colorDistance(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let bin = 0; bin < one.length; bin++) sum += Math.abs((one[bin] as number) - (other[bin] as number));
  return sum / 2;
}

function histogramOf(frame: Uint8Array): Uint16Array {
  const histogram = new Uint16Array(colorBins);
  for (let at = 0; at < frame.length; at += 3) {
    const bin = binOf(frame[at] as number, frame[at + 1] as number, frame[at + 2] as number);
    histogram[bin] = (histogram[bin] as number) + 1;
  }
  return histogram;
}
