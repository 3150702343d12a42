/** A colour as luma and chroma, each from 0 to 255. */
export type Color = readonly [luma: number, blue: number, red: number];

const rgb: Record<string, readonly [number, number, number]> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  gray: [110, 110, 110],
  red: [220, 20, 20],
  green: [20, 180, 20],
  blue: [40, 60, 230],
  yellow: [235, 220, 20],
  magenta: [220, 20, 200],
  cyan: [20, 210, 220],
  orange: [245, 140, 20],
  navy: [10, 20, 90],
  darkgreen: [10, 80, 30],
  maroon: [110, 15, 30],
  purple: [90, 20, 120],
};

/** Returns a colour by its name (ITU-R BT.601, limited range). Throws for an unknown name. */
export function colorOf(name: string): Color {
  const [r, g, b] = rgb[name] ?? unknownColor(name);
  return [
    16 + Math.round((65.738 * r + 129.057 * g + 25.064 * b) / 256),
    128 + Math.round((-37.945 * r - 74.494 * g + 112.439 * b) / 256),
    128 + Math.round((112.439 * r - 94.154 * g - 18.285 * b) / 256),
  ];
}

function unknownColor(name: string): never {
  throw new Error(`There is no colour ${name}.`);
}
