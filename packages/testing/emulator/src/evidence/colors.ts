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

/** Returns the number of the name of a colour. */
export function colorNumber(red: number, green: number, blue: number): number {
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
