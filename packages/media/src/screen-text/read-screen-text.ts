import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
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
  /** Directory for the frame, which is deleted before this returns. */
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
 * Reads the text on the frame of a video at a time, with tesseract, under the confinement of ffmpeg.
 *
 * @param atMs from the start of the video, in milliseconds.
 * @returns the words from top to bottom, with a line for each line in the picture; empty if there is no text or no
 *   frame.
 * @throws `FfmpegFailure` if the frame cannot be decoded or read; a plain error if this machine is at fault.
 */
export async function readScreenText(path: string, atMs: number, options: Options): Promise<string> {
  const frame = join(options.scratchDir, `frame-${atMs}-${options.reading}-${options.script ?? "Latin"}.pgm`);
  try {
    await writeFrame(path, { atMs, frame }, options);
    const { size } = await stat(frame);
    return size === 0 ? "" : await readFrame(frame, options);
  } finally {
    await rm(frame, { force: true });
  }
}

function writeFrame(path: string, { atMs, frame }: { atMs: number; frame: string }, options: Options) {
  const { reading, confinement, signal } = options;
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

async function readFrame(frame: string, { confinement, signal, script = "Latin" }: Options): Promise<string> {
  await using files = await handOver(confinement, { input: frame });
  const picture = files.input.replace(/^file:/, "");
  const language = script === "Latin" ? "eng" : installed(script).join("+");
  // Mode 11: text in no particular order, as on a screen.
  const { stdout } = await runLimited("tesseract", [picture, "stdout", "--psm", "11", "--dpi", "150", "-l", language], {
    timeoutMs: readTimeoutMs,
    signal,
    confinement,
    maxMemoryBytes: 1_500_000_000,
    maxCpuSeconds: 12,
    maxFileBytes: 0,
    maxStdoutBytes: 1_000_000,
    descriptors: files.descriptors,
  });
  return stdout
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}
