import { spawn } from "node:child_process";
import { type RunContext, runFfmpeg } from "@video-to-json/media";
import type { FirstFrame } from "./tracks.ts";

/** A grey picture with one byte for each pixel. */
type GreyPicture = { width: number; height: number; grey: Uint8Array };

type Context = RunContext & { signal: AbortSignal };
type Size = { width: number; height: number };

/** Tesseract needs letters of 20 pixels or more, and reads large pictures slowly. */
const heights = { min: 480, max: 720 };

/**
 * Returns the text in the picture at each of some moments, or null where the picture shows no text.
 *
 * @param timesMs in their order, in milliseconds.
 */
export async function readTextsAt(
  path: string,
  timesMs: readonly number[],
  size: Size,
  context: Context,
  cropBottom: number,
): Promise<(string | null)[]> {
  const factor = Math.min(4, Math.max(heights.min, Math.min(heights.max, size.height)) / size.height);
  const [width, height] = [Math.round(size.width * factor), Math.round(size.height * factor)];
  const crop = cropBottom > 0 ? `crop=iw:ih-${cropBottom}:0:0,` : "";
  const filters = `${selectAt(timesMs)},${crop}scale=${width}:${height}:flags=bicubic,format=gray`;
  const pictures = ["-frames:v", String(timesMs.length), "-fps_mode", "passthrough"];
  const outputOptions = ["-map", "0:V:0", "-vf", filters, ...pictures, "-f", "rawvideo"];
  const { stdout } = await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 60_000, ...context });
  const texts: (string | null)[] = [];
  for (const index of timesMs.keys()) {
    const grey = stdout.subarray(index * width * height, (index + 1) * width * height);
    const hasText = grey.length === width * height && hasEdges(grey, width);
    texts.push(hasText ? await recognizeText({ width, height, grey: asDarkOnLight(grey) }, context.signal) : null);
  }
  return texts;
}

function selectAt(timesMs: readonly number[]): string {
  const next = timesMs.reduceRight((rest, ms, index) => {
    return `if(eq(selected_n\\,${index})\\,gte(t\\,${(ms / 1000 - 0.001).toFixed(3)})\\,${rest})`;
  }, "0");
  return `select=${next}`;
}

/** Returns whether the picture has sharp edges. Without edges there is no text. */
function hasEdges(grey: Uint8Array, width: number): boolean {
  let edges = 0;
  for (let at = 3; at < grey.length; at++) {
    if (at % width >= 3 && Math.abs((grey[at] as number) - (grey[at - 3] as number)) > 50) edges += 1;
  }
  return edges / grey.length >= 0.0004;
}

/** Inverts a picture that is mostly dark: tesseract reads dark text on a light background best. */
function asDarkOnLight(grey: Uint8Array): Uint8Array {
  const sum = grey.reduce((total, value) => total + value, 0);
  return sum / grey.length < 128 ? grey.map((value) => 255 - value) : grey;
}

const program = "tesseract";
const args = ["-", "-", "--psm", "11", "--dpi", "150", "-l", "eng", "tsv"];

/** Returns the text in a grey picture, or null if the picture shows no text or tesseract is not installed. */
async function recognizeText({ width, height, grey }: GreyPicture, signal: AbortSignal): Promise<string | null> {
  const picture = Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), grey]);
  const table = await new Promise<string>((resolve, reject) => {
    const reading = spawn(program, args, { signal, timeout: 20_000, stdio: ["pipe", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    reading.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    reading.stdin.on("error", () => {});
    reading.once("error", (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? resolve("") : reject(error)));
    reading.once("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    reading.stdin.end(picture);
  });
  return wordsIn(table).join(" ") || null;
}

/** Returns the words of which tesseract is sure. Of a single letter it has to be more sure. */
function wordsIn(table: string): string[] {
  return table.split("\n").flatMap((row) => {
    const columns = row.split("\t");
    const [height, confidence, word = ""] = [Number(columns[9]), Number(columns[10]), columns[11]?.trim()];
    const letters = word.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    return letters > 0 && height >= 8 && confidence >= (letters > 1 ? 50 : 80) ? [word] : [];
  });
}

/** A clock below the picture of a clip: what it shows in the first picture, and the height of its strip in pixels. */
type Clock = { startMs: number; stripHeight: number };

/** The clock is read in several pictures, this far apart, so that one misread picture does not move everything. */
const stepMs = 4000;
const maxReadings = 3;
/** The part of the picture that may be the strip. */
const maxStripShare = 1 / 3;

/** Reads bright characters such as `01:23.4`. Null without a clock or tesseract, or if the readings do not agree. */
export async function readClock(
  path: string,
  { width, height }: FirstFrame,
  context: RunContext & { signal: AbortSignal },
): Promise<Clock | null> {
  const stripHeight = 2 * Math.floor((height * maxStripShare) / 2);
  const filters = `fps=${1000 / stepMs}:start_time=0:round=up,crop=${width}:${stripHeight}:0:${height - stripHeight},format=gray`;
  const outputOptions = ["-map", "0:V:0", "-vf", filters, "-frames:v", String(maxReadings), "-f", "rawvideo"];
  const { stdout } = await runFfmpeg(
    { input: path, outputOptions, output: "-" },
    { timeoutMs: 60_000, ...context, maxStdoutBytes: maxReadings * width * stripHeight },
  );
  const size = width * stripHeight;
  const pictures = Array.from({ length: Math.floor(stdout.length / size) }, (_, index) =>
    stdout.subarray(index * size, (index + 1) * size),
  );
  const bounds = pictures.map((grey) => findStrip(grey, width, stripHeight)).filter((found) => found !== null);
  const [strip] = [...bounds].sort((a, b) => a - b).slice(bounds.length >> 1);
  if (strip === undefined) return null;
  const strips = pictures.map((grey) => grey.subarray((stripHeight - strip) * width));
  const starts = await readStarts(strips, width, context.signal);
  const agreed = starts.map((start) => starts.filter((other) => Math.abs(other - start) <= agreementMs));
  const [best = []] = agreed.sort((a, b) => b.length - a.length);
  if (best.length < Math.min(2, pictures.length)) return null;
  return { startMs: Math.min(...best), stripHeight: strip };
}

/** A clock shows tenths, and its pictures may be half a second apart. */
const agreementMs = 600;

/** Returns the height of the strip: the characters in the lowest bright rows, with as much dark above them as below. */
function findStrip(grey: Buffer, width: number, height: number): number | null {
  const isBright = (y: number) => {
    for (let x = 0; x < width; x++) if ((grey[y * width + x] ?? 0) > minBright) return true;
    return false;
  };
  let last = height - 1;
  while (last > 0 && !isBright(last)) last--;
  let first = last;
  while (first > 0 && isBright(first - 1)) first--;
  const margin = height - 1 - last;
  if (last === 0 || margin === 0 || first < margin) return null;
  return height - (first - margin);
}

const minBright = 150;

/** Reads the clock in each strip, and returns when the clip began by each of them. Two that agree suffice. */
async function readStarts(strips: readonly Buffer[], width: number, signal: AbortSignal): Promise<number[]> {
  const both = await readClocks(strips.slice(0, 2), width, signal);
  const [one, two] = both.map((shown, index) => shown - index * stepMs);
  if (one !== undefined && two !== undefined && Math.abs(one - two) <= agreementMs) return [one, two];
  const starts: number[] = [];
  for (const [index, strip] of strips.entries()) {
    const [shown] = await readClocks([strip], width, signal);
    if (shown !== undefined) starts.push(shown - index * stepMs);
  }
  return starts;
}

/** Reads strips as one picture, one below the other, and returns the times in it in milliseconds. */
async function readClocks(strips: readonly Buffer[], width: number, signal: AbortSignal): Promise<number[]> {
  const grey = Buffer.concat(strips).map((value) => 255 - value);
  const recognized = await recognizeText({ width, height: grey.length / width, grey }, signal);
  const shown = recognized?.replaceAll(" ", "").matchAll(/(\d{1,2}):(\d{2})(?:[.,](\d))?/g) ?? [];
  return [...shown].map(
    ([, minutes, seconds, tenth]) => (Number(minutes) * 60 + Number(seconds)) * 1000 + Number(tenth ?? 0) * 100,
  );
}
