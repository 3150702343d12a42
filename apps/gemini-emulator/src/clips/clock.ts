import { type RunContext, runFfmpeg } from "@video-to-json/media";
import type { FirstFrame } from "../evidence/first-frame.ts";
import { recognizeText } from "../evidence/tesseract.ts";

/** A clock below the picture of a clip: what it shows in the first picture, and the height of its strip in pixels. */
export type Clock = { startMs: number; stripHeight: number };

/** The clock is read in pictures this far apart until two agree, so that one misread picture does not move everything. */
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
  const starts: number[] = [];
  for (const [index, grey] of pictures.entries()) {
    if (starts.length === 2 && Math.abs((starts[0] ?? 0) - (starts[1] ?? 0)) <= agreementMs) break;
    const shown = await readStrip(grey, { width, stripHeight, strip }, context.signal);
    if (shown !== null) starts.push(shown - index * stepMs);
  }
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

async function readStrip(
  grey: Buffer,
  { width, stripHeight, strip }: { width: number; stripHeight: number; strip: number },
  signal: AbortSignal,
): Promise<number | null> {
  const dark = grey.subarray((stripHeight - strip) * width);
  const recognized = await recognizeText({ width, height: strip, grey: dark.map((value) => 255 - value) }, signal);
  const parts = /(\d{1,2}):(\d{2})(?:[.,](\d))?/.exec(recognized?.text.replaceAll(" ", "") ?? "");
  if (!parts) return null;
  return (Number(parts[1]) * 60 + Number(parts[2])) * 1000 + Number(parts[3] ?? 0) * 100;
}
