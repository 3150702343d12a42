import { type RunContext, runFfmpeg } from "@video-to-json/media";
import type { FirstLook } from "./first-look.ts";
import { type Picture, readWriting } from "./tesseract.ts";

/** What is written in the picture at a moment; null when nothing is. */
export async function readTextAt(
  path: string,
  atMs: number,
  size: FirstLook,
  context: RunContext & { signal: AbortSignal },
): Promise<string | null> {
  const { width, height } = readableSize(size);
  const filters = `scale=${width}:${height}:flags=bicubic`;
  const outputOptions = ["-map", "0:V:0", "-frames:v", "1", "-vf", filters, "-pix_fmt", "rgb24", "-f", "rawvideo"];
  const inputOptions = ["-ss", (atMs / 1000).toFixed(3)];
  const { stdout } = await runFfmpeg(
    { input: path, inputOptions, outputOptions, output: "-" },
    { timeoutMs: 60_000, ...context },
  );
  if (stdout.length < width * height * 3 || !hasEdges(stdout, width)) return null;
  const read = async (grey: Uint8Array) => readWriting({ width, height, grey }, context.signal);
  const plain = await read(lumaOf(stdout));
  const onBackground = distanceFromBackground(stdout);
  if (onBackground) return (plain ?? (await read(onBackground)))?.text ?? null;
  // On a busy picture luma gives chance finds; captions are mostly white.
  const white = await read(whiteOnly(stdout));
  const best = white && white.score > (plain?.score ?? 0) ? white : plain;
  return best && best.score >= leastScore ? best.text : null;
}

const leastScore = 600;

/** What is nearly white, as black on white. */
function whiteOnly(rgb: Buffer): Uint8Array {
  const grey = new Uint8Array(rgb.length / 3);
  for (let pixel = 0, at = 0; at < rgb.length; pixel += 1, at += 3) {
    const least = Math.min(rgb[at] as number, rgb[at + 1] as number, rgb[at + 2] as number);
    grey[pixel] = least > 235 ? 0 : Math.min(255, (235 - least) * 5);
  }
  return grey;
}

const lowestHeight = 480;
const highestHeight = 1080;

/** Small pictures are enlarged: letters want 20 pixels and more. */
function readableSize({ width, height }: FirstLook): Pick<Picture, "width" | "height"> {
  const factor = height < lowestHeight ? Math.min(4, lowestHeight / height) : Math.min(1, highestHeight / height);
  return { width: Math.max(16, Math.round(width * factor)), height: Math.max(16, Math.round(height * factor)) };
}

const edge = 50;
const leastEdges = 0.0004;

/** Writing is made of edges; where there are none there is nothing to read. */
function hasEdges(rgb: Buffer, width: number): boolean {
  let edges = 0;
  const step = 9;
  for (let at = step; at < rgb.length; at += 3) {
    if ((at / 3) % width < 3) continue;
    const red = Math.abs((rgb[at] as number) - (rgb[at - step] as number));
    const green = Math.abs((rgb[at + 1] as number) - (rgb[at + 1 - step] as number));
    const blue = Math.abs((rgb[at + 2] as number) - (rgb[at + 2 - step] as number));
    if (red > edge || green > edge || blue > edge) edges += 1;
  }
  return edges / (rgb.length / 3) >= leastEdges;
}

/** Luma, turned over where most of the picture is dark: tesseract reads dark on light best. */
function lumaOf(rgb: Buffer): Uint8Array {
  const grey = new Uint8Array(rgb.length / 3);
  let sum = 0;
  for (let pixel = 0, at = 0; at < rgb.length; pixel += 1, at += 3) {
    const luma = ((rgb[at] as number) * 299 + (rgb[at + 1] as number) * 587 + (rgb[at + 2] as number) * 114) / 1000;
    grey[pixel] = luma;
    sum += luma;
  }
  if (sum / grey.length < 128)
    for (let pixel = 0; pixel < grey.length; pixel++) grey[pixel] = 255 - (grey[pixel] as number);
  return grey;
}

const leastBackground = 0.3;

/**
 * How far each pixel is from the commonest colour, dark where it is far: writing that has the background's brightness in
 * another colour stands out so. Null where no colour is common enough to be a background.
 */
function distanceFromBackground(rgb: Buffer): Uint8Array | null {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3 * 7) {
    const bin =
      (((rgb[at] as number) >> 4) << 8) | (((rgb[at + 1] as number) >> 4) << 4) | ((rgb[at + 2] as number) >> 4);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const [bin, count] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0]);
  if (count / (rgb.length / 21) < leastBackground) return null;
  const [red, green, blue] = [((bin >> 8) << 4) + 8, (((bin >> 4) & 15) << 4) + 8, ((bin & 15) << 4) + 8];
  const grey = new Uint8Array(rgb.length / 3);
  for (let pixel = 0, at = 0; at < rgb.length; pixel += 1, at += 3) {
    const far = Math.max(
      Math.abs((rgb[at] as number) - red),
      Math.abs((rgb[at + 1] as number) - green),
      Math.abs((rgb[at + 2] as number) - blue),
    );
    grey[pixel] = 255 - Math.min(255, far * 2);
  }
  return grey;
}
