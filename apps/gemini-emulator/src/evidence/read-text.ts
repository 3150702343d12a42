import { type RunContext, runFfmpeg } from "@video-to-json/media";
import type { FirstFrame } from "./first-frame.ts";
import { type GreyPicture, recognizeText } from "./tesseract.ts";

/** Returns the text in the picture at a moment, or null if the picture shows no text. */
export async function readTextAt(
  path: string,
  atMs: number,
  size: FirstFrame,
  context: RunContext & { signal: AbortSignal },
  cropBottom = 0,
): Promise<string | null> {
  const { width, height } = readableSize(size);
  const crop = cropBottom > 0 ? `crop=iw:ih-${cropBottom}:0:0,` : "";
  const filters = `${crop}scale=${width}:${height}:flags=bicubic`;
  const outputOptions = ["-map", "0:V:0", "-frames:v", "1", "-vf", filters, "-pix_fmt", "rgb24", "-f", "rawvideo"];
  const inputOptions = ["-ss", (atMs / 1000).toFixed(3)];
  const { stdout } = await runFfmpeg(
    { input: path, inputOptions, outputOptions, output: "-" },
    { timeoutMs: 60_000, ...context },
  );
  if (stdout.length < width * height * 3 || !hasEdges(stdout, width)) return null;
  const read = async (grey: Uint8Array) => recognizeText({ width, height, grey }, context.signal);
  const plain = await read(lumaOf(stdout));
  const onBackground = distanceFromBackground(stdout);
  if (onBackground) return (plain ?? (await read(onBackground)))?.text ?? null;
  // In a detailed picture luma leads to false finds. Captions are mostly white.
  const white = await read(whiteOnly(stdout));
  const best = white && white.score > (plain?.score ?? 0) ? white : plain;
  return best && best.score >= minScore ? best.text : null;
}

const minScore = 600;

/** Returns the nearly white pixels as black on white. */
function whiteOnly(rgb: Buffer): Uint8Array {
  const grey = new Uint8Array(rgb.length / 3);
  for (let pixel = 0, at = 0; at < rgb.length; pixel += 1, at += 3) {
    const darkest = Math.min(rgb[at] as number, rgb[at + 1] as number, rgb[at + 2] as number);
    grey[pixel] = darkest > 235 ? 0 : Math.min(255, (235 - darkest) * 5);
  }
  return grey;
}

const minHeight = 480;
const maxHeight = 1080;

/** Returns the size to read at. Small pictures are enlarged: tesseract needs letters of 20 pixels or more. */
function readableSize({ width, height }: FirstFrame): Pick<GreyPicture, "width" | "height"> {
  const factor = height < minHeight ? Math.min(4, minHeight / height) : Math.min(1, maxHeight / height);
  return { width: Math.max(16, Math.round(width * factor)), height: Math.max(16, Math.round(height * factor)) };
}

/** The smallest difference of a channel, of 255, at an edge, and the smallest share of pixels at edges. */
const minEdgeDifference = 50;
const minEdgeShare = 0.0004;

/** Returns whether the picture has edges. Without edges there is no text. */
function hasEdges(rgb: Buffer, width: number): boolean {
  let edges = 0;
  const step = 9;
  for (let at = step; at < rgb.length; at += 3) {
    if ((at / 3) % width < 3) continue;
    const red = Math.abs((rgb[at] as number) - (rgb[at - step] as number));
    const green = Math.abs((rgb[at + 1] as number) - (rgb[at + 1 - step] as number));
    const blue = Math.abs((rgb[at + 2] as number) - (rgb[at + 2 - step] as number));
    if (red > minEdgeDifference || green > minEdgeDifference || blue > minEdgeDifference) edges += 1;
  }
  return edges / (rgb.length / 3) >= minEdgeShare;
}

/** Returns the luma, inverted if most of the picture is dark: tesseract reads dark text on a light background best. */
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

const minBackgroundShare = 0.3;

/**
 * Returns the distance of each pixel from the most frequent colour; a dark pixel is far from it. This shows text that
 * differs from its background in colour but not in brightness. Returns null if no colour is frequent enough.
 */
function distanceFromBackground(rgb: Buffer): Uint8Array | null {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3 * 7) {
    const bin =
      (((rgb[at] as number) >> 4) << 8) | (((rgb[at + 1] as number) >> 4) << 4) | ((rgb[at + 2] as number) >> 4);
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const [bin, count] = [...counts].reduce((max, entry) => (entry[1] > max[1] ? entry : max), [0, 0]);
  if (count / (rgb.length / 21) < minBackgroundShare) return null;
  const [red, green, blue] = [((bin >> 8) << 4) + 8, (((bin >> 4) & 15) << 4) + 8, ((bin & 15) << 4) + 8];
  const grey = new Uint8Array(rgb.length / 3);
  for (let pixel = 0, at = 0; at < rgb.length; pixel += 1, at += 3) {
    const distance = Math.max(
      Math.abs((rgb[at] as number) - red),
      Math.abs((rgb[at + 1] as number) - green),
      Math.abs((rgb[at + 2] as number) - blue),
    );
    grey[pixel] = 255 - Math.min(255, distance * 2);
  }
  return grey;
}
