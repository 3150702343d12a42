/** The colours of a stretch of video, most frequent first, with their share of the picture. */
export type Palette = readonly { rgb: Rgb; share: number }[];

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Nothing to be seen. */
export const noPalette: Palette = [];

/** Bins of a colour histogram: four bits a channel. */
export const colorBins = 4096;

const mostColors = 48;

/** The palette of histograms taken together. */
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
  return used.slice(0, mostColors).map((bin) => ({ rgb: rgbOf(bin), share: (sums[bin] ?? 0) / total }));
}

/** The bin of a colour. */
export function binOf(red: number, green: number, blue: number): number {
  return ((red & 0xf0) << 4) | (green & 0xf0) | (blue >> 4);
}

/** The colour in the middle of a bin; the outermost stand for pure black, white and full channels. */
function rgbOf(bin: number): Rgb {
  return [channel(bin >> 8), channel((bin >> 4) & 15), channel(bin & 15)];
}

function channel(level: number): number {
  return Math.round((level * 255) / 15);
}
