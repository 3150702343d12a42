/** The colours of a part of a video with their shares of the picture, most frequent first. */
export type Palette = readonly { rgb: Rgb; share: number }[];

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** The palette without a picture. */
export const noPalette: Palette = [];

/** The number of bins of a fine colour histogram, with four bits a channel. */
export const colorBins = 4096;

const maxColors = 48;

/** Returns the palette of several histograms together. */
export function paletteOf(histograms: readonly Uint16Array[]): Palette {
  const sums = new Float64Array(colorBins);
  let total = 0;
  for (const histogram of histograms) {
    for (let bin = 0; bin < colorBins; bin++) {
      const count = histogram[bin] ?? 0;
      if (count > 0) {
        sums[bin] = (sums[bin] ?? 0) + count;
        total += count;
      }
    }
  }
  const used = [...sums.keys()].filter((bin) => (sums[bin] ?? 0) > 0);
  used.sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0));
  return used.slice(0, maxColors).map((bin) => ({ rgb: rgbOf(bin), share: (sums[bin] ?? 0) / total }));
}

/** Returns the bin of a colour. */
export function binOf(red: number, green: number, blue: number): number {
  return ((red & 0xf0) << 4) | (green & 0xf0) | (blue >> 4);
}

/** Returns the colour of a bin. The outermost bins are pure black, pure white and full channels. */
function rgbOf(bin: number): Rgb {
  return [channel(bin >> 8), channel((bin >> 4) & 15), channel(bin & 15)];
}

function channel(level: number): number {
  return Math.round((level * 255) / 15);
}
