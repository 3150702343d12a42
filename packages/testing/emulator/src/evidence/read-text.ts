import { spawn } from "node:child_process";
import { type RunContext, runFfmpeg } from "@video-to-json/media";

/** A grey picture with one byte for each pixel. */
export type GreyPicture = { width: number; height: number; grey: Uint8Array };

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

/** Returns the filter that selects the picture at each time. */
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
export async function recognizeText({ width, height, grey }: GreyPicture, signal: AbortSignal): Promise<string | null> {
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
