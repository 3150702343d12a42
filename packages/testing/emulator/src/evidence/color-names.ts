import type { Palette, Rgb } from "./palette.ts";

/** Returns the share of each named colour in a palette, largest first. Names that are not colours are omitted. */
export function colorShares(
  palette: Palette,
  names: readonly string[] = basicColors,
): { name: string; share: number }[] {
  const known = names.flatMap((name) => {
    const samples = samplesOf(name);
    return samples ? [{ name, samples: samples.map(toLab) }] : [];
  });
  const shares = new Map<string, number>();
  for (const { rgb, share } of palette) {
    const lab = toLab(rgb);
    let best: string | undefined;
    let minDistance = Number.POSITIVE_INFINITY;
    for (const { name, samples } of known) {
      for (const sample of samples) {
        const distance = (lab[0] - sample[0]) ** 2 + (lab[1] - sample[1]) ** 2 + (lab[2] - sample[2]) ** 2;
        if (distance < minDistance) {
          minDistance = distance;
          best = name;
        }
      }
    }
    if (best !== undefined) shares.set(best, (shares.get(best) ?? 0) + share);
  }
  const found = [...shares].map(([name, share]) => ({ name, share }));
  return found.sort((a, b) => b.share - a.share);
}

/** Returns whether a name is a known colour, such as `Dark Blue` or `dark_blue`. */
export function isColorName(name: string): boolean {
  return samplesOf(name) !== undefined;
}

/** Returns a colour name in the spelling of the basic colours: gray, not grey. */
export function spellGray(name: string): string {
  return name.replaceAll("grey", "gray");
}

/** The colours to choose from by default. */
export const basicColors = [
  ...["red", "green", "blue", "yellow", "orange", "purple", "pink", "cyan", "magenta", "brown"],
  ...["black", "white", "gray"],
];

// A name covers a region of colours, so it has several samples.
const colors: Readonly<Record<string, readonly number[]>> = {
  red: [0xff0000, 0xcc0000, 0xdc143c, 0xb22222],
  green: [0x008000, 0x00ff00, 0x228b22, 0x32cd32, 0x90ee90, 0x004000],
  blue: [0x0000ff, 0x0000cd, 0x1e90ff, 0x4169e1, 0x000080, 0x87ceeb],
  yellow: [0xffff00, 0xffd700, 0xf0e68c, 0xffff80],
  orange: [0xffa500, 0xff8c00, 0xff7f50],
  purple: [0x800080, 0x8a2be2, 0x4b0082, 0x9370db, 0x9932cc],
  pink: [0xffc0cb, 0xff69b4, 0xffb6c1, 0xff1493],
  cyan: [0x00ffff, 0x00ced1, 0x008b8b, 0x40e0d0],
  magenta: [0xff00ff, 0xe000e0],
  brown: [0xa52a2a, 0x8b4513, 0x654321, 0xa0522d],
  black: [0x000000, 0x111111, 0x1a1a1a],
  white: [0xffffff, 0xf0f0f0],
  gray: [0x808080, 0x555555, 0xa9a9a9, 0xd0d0d0],
  silver: [0xc0c0c0],
  navy: [0x000080],
  teal: [0x008080],
  turquoise: [0x40e0d0],
  lime: [0x00ff00, 0x32cd32],
  olive: [0x808000],
  maroon: [0x800000],
  gold: [0xffd700, 0xdaa520],
  violet: [0xee82ee, 0x8a2be2],
  indigo: [0x4b0082],
  beige: [0xf5f5dc, 0xd2b48c],
  tan: [0xd2b48c],
  salmon: [0xfa8072],
  coral: [0xff7f50],
  crimson: [0xdc143c],
  lavender: [0xe6e6fa],
  khaki: [0xf0e68c],
  "sky blue": [0x87ceeb],
  "light blue": [0xadd8e6, 0x87ceeb],
  "dark blue": [0x00008b, 0x000080],
  "light green": [0x90ee90],
  "dark green": [0x006400],
  "dark red": [0x8b0000],
  "light gray": [0xd3d3d3],
  "dark gray": [0x555555],
};

function samplesOf(name: string): Rgb[] | undefined {
  const plain = spellGray(name.trim().toLowerCase().replace(/[_-]+/g, " ").replace("aqua", "cyan"));
  const found = Object.hasOwn(colors, plain) ? colors[plain] : plain === "fuchsia" ? colors.magenta : undefined;
  return found?.map((hex) => [hex >> 16, (hex >> 8) & 255, hex & 255]);
}

/** Converts to CIE Lab, where colours that look similar are close. */
function toLab([red, green, blue]: Rgb): [number, number, number] {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function curve(value: number): number {
  return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116;
}
