import { type RunContext, runFfmpeg } from "@video-to-json/media";
import type { FirstFrame } from "./first-frame.ts";
import { type GreyPicture, recognizeText } from "./tesseract.ts";

/** The pictures that one start of ffmpeg writes: at most this many bytes. */
const maxBytesOfStart = 48 * 1024 * 1024;

/**
 * Returns the text in the picture at each of some moments, or null where the picture shows no text.
 *
 * @param timesMs in their order, in milliseconds.
 */
export async function readTextsAt(
  path: string,
  timesMs: readonly number[],
  size: FirstFrame,
  context: RunContext & { signal: AbortSignal },
  cropBottom = 0,
): Promise<(string | null)[]> {
  const { width, height } = readableSize(size);
  const bytes = width * height * 3;
  const crop = cropBottom > 0 ? `crop=iw:ih-${cropBottom}:0:0,` : "";
  const scale = `${crop}scale=${width}:${height}:flags=bicubic`;
  const picturesOfStart = Math.max(1, Math.floor(maxBytesOfStart / bytes));
  const texts: (string | null)[] = [];
  for (let first = 0; first < timesMs.length; first += picturesOfStart) {
    const times = timesMs.slice(first, first + picturesOfStart);
    const pictures = ["-frames:v", String(times.length), "-fps_mode", "passthrough", "-pix_fmt", "rgb24"];
    const outputOptions = ["-map", "0:V:0", "-vf", `${selectAt(times)},${scale}`, ...pictures, "-f", "rawvideo"];
    const inputOptions = ["-ss", ((times[0] ?? 0) / 1000).toFixed(3)];
    const { stdout } = await runFfmpeg(
      { input: path, inputOptions, outputOptions, output: "-" },
      { timeoutMs: 60_000, ...context },
    );
    for (const index of times.keys())
      texts.push(await readPicture(stdout.subarray(index * bytes, (index + 1) * bytes), { width, height }, context));
  }
  return texts;
}

/** Returns the filter that selects the picture at each time, counted from the first. */
function selectAt(timesMs: readonly number[]): string {
  const [first = 0, ...later] = timesMs;
  const next = later.reduceRight((rest, ms, index) => {
    const seconds = ((ms - first) / 1000 - 0.001).toFixed(3);
    return `if(eq(selected_n\\,${index + 1})\\,${seconds}\\,${rest})`;
  }, "0");
  return `select=gte(t\\,${next})`;
}

async function readPicture(
  rgb: Buffer,
  { width, height }: Pick<GreyPicture, "width" | "height">,
  { signal }: { signal: AbortSignal },
): Promise<string | null> {
  if (rgb.length < width * height * 3 || !hasEdges(rgb, width)) return null;
  const read = async (grey: Uint8Array) => recognizeText({ width, height, grey }, signal);
  const plain = await read(lumaOf(rgb));
  const onBackground = distanceFromBackground(rgb);
  if (onBackground) return (plain ?? (await read(onBackground)))?.text ?? null;
  // In a detailed picture luma leads to false finds. Captions are mostly white.
  const white = await read(whiteOnly(rgb));
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
