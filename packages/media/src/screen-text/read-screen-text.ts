import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { pathOf } from "../ffmpeg/isolation.ts";
import { runLimited } from "../ffmpeg/limited-process.ts";
import { handOver, runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

/**
 * The part of a frame that is read: all of it, or only the nearly white part, which contains most captions over a
 * detailed picture.
 */
type ScreenReading = "all" | "bright";

/** The languages of tesseract that read a script. */
const languages = {
  Latin: ["eng"],
  Cyrillic: ["rus", "ukr"],
  Greek: ["ell"],
  Arabic: ["ara"],
  Hebrew: ["heb"],
  Han: ["chi_sim"],
  Kana: ["jpn"],
  Hangul: ["kor"],
  Devanagari: ["hin"],
} as const;
type Script = keyof typeof languages;

type Options = RunContext & {
  reading: ScreenReading;
  /** Latin, if none is given. */
  script?: Script;
  /** Directory for the frames, which are deleted before this returns. */
  scratchDir: string;
};

const frameTimeoutMs = 20_000;
const readTimeoutMs = 15_000;
const maxFrameBytes = 64 * 1024 * 1024;
/** tesseract needs letters of about 20 pixels. A larger picture only takes longer. */
const height = "min(max(ih\\,min(720\\,ih*3))\\,1080)";

/** The brightest pixels become black letters on white. */
const brightAsBlack = "lut=c0='clip((215-val)*8,0,255)'";

/** Returns whether this machine can read the text on a frame: whether tesseract is installed, with a language of the script. */
export function canReadScreenText(script: Script = "Latin"): boolean {
  return pathOf("tesseract") !== null && (script === "Latin" || installed(script).length > 0);
}

const dataDirectories = [
  ...["/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tessdata", "/opt/homebrew/share/tessdata"],
  "/usr/local/share/tessdata",
];

function installed(script: Script): string[] {
  return languages[script].filter((name) => dataDirectories.some((at) => existsSync(join(at, `${name}.traineddata`))));
}

/**
 * Reads the text on frames of a video with tesseract, under the confinement of ffmpeg. One run of tesseract reads all
 * frames, because its start takes longer than a frame.
 *
 * @param times of the frames, from the start of the video, in milliseconds.
 * @returns for each time the words from top to bottom, with a line for each line in the picture; empty if there is no
 *   text or no frame.
 * @throws `FfmpegFailure` if a frame cannot be decoded, or all of them cannot be read in 12 s of a processor; a plain
 *   error if this machine is at fault.
 */
export async function readScreenTexts(path: string, times: readonly number[], options: Options): Promise<string[]> {
  const directory = await mkdtemp(join(options.scratchDir, "frames-"));
  try {
    const frames = times.map((atMs) => join(directory, `${atMs}.pgm`));
    for (const [index, frame] of frames.entries()) await writeFrame(path, times[index] ?? 0, frame, options);
    const sizes = await Promise.all(frames.map(async (frame) => (await stat(frame)).size));
    const pictures = frames.filter((_, index) => sizes[index]);
    const texts = pictures.length === 0 ? [] : await readPictures(pictures, join(directory, "list"), options);
    return sizes.map((size) => (size === 0 ? "" : (texts.shift() ?? "")));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function writeFrame(path: string, atMs: number, frame: string, { reading, confinement, signal }: Options) {
  const filter = `scale=w=-2:h=${height}:flags=bicubic,format=gray${reading === "bright" ? `,${brightAsBlack}` : ""}`;
  return runFfmpeg(
    {
      input: path,
      inputOptions: ["-threads", "1", "-ss", (atMs / 1000).toFixed(3)],
      outputOptions: ["-map", "0:V:0", "-frames:v", "1", "-vf", filter, "-c:v", "pgm", "-f", "image2pipe"],
      output: frame,
    },
    { confinement, signal, timeoutMs: frameTimeoutMs, maxCpuSeconds: 15, maxFileBytes: maxFrameBytes },
  );
}

/** Returns the text on each picture. `list`: the path of a file for their names, as tesseract sees them. */
async function readPictures(
  pictures: readonly string[],
  list: string,
  { confinement, signal, script = "Latin" }: Options,
): Promise<string[]> {
  await writeFile(list, "", { mode: 0o600 });
  await using files = await handOver(confinement, { input: list, others: pictures });
  const [names, ...rest] = [files.input, ...files.others].map((name) => name.replace(/^file:/, ""));
  await writeFile(list, rest.join("\n"));
  const language = script === "Latin" ? "eng" : installed(script).join("+");
  // Mode 11: text in no particular order, as on a screen.
  const options = ["--psm", "11", "--dpi", "150", "-l", language];
  const { stdout } = await runLimited("tesseract", [String(names), "stdout", ...options], {
    timeoutMs: readTimeoutMs,
    signal,
    confinement,
    maxMemoryBytes: 1_500_000_000,
    maxCpuSeconds: 12,
    maxFileBytes: 0,
    maxStdoutBytes: 1_000_000,
    files: files.opened,
  });
  const pages = stdout.toString("utf8").split("\f");
  if (pages.length < pictures.length) throw new Error("tesseract has not read all frames");
  return pages.map((page) => {
    const lines = page.split("\n").map((line) => line.trim());
    return lines.filter((line) => line !== "").join("\n");
  });
}
