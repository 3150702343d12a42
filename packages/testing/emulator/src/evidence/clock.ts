import { type RunContext, runFfmpeg } from "@video-to-json/media";
import { recognizeText } from "./read-text.ts";
import type { FirstFrame } from "./tracks.ts";

/** A clock below the picture of a clip: what it shows in the first picture, and the height of its strip in pixels. */
export type Clock = { startMs: number; stripHeight: number };

/** The clock is read in several pictures, this far apart, so that one misread picture does not move everything. */
const stepMs = 4000;
const maxReadings = 3;
/** The part of the picture that may be the strip. */
const maxStripShare = 1 / 3;

/**
 * Reads the clock in a dark strip below the picture: bright characters such as `01:23.4`. Returns null if the
 * picture shows no clock, if the readings do not agree, or if tesseract is not installed.
 */
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
