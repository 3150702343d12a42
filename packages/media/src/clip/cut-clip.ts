import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { FfmpegFailure } from "../ffmpeg/limited-process.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { audioOptions, planEncode, type ReadableMedia, videoEncoders } from "../provider-copy/copy-plan.ts";
import { type ClockSpan, clockSize, drawClock } from "./clock-pictures.ts";

type Options = RunContext &
  ClockSpan & {
    /** The start of the file in the whole video, in milliseconds. */
    fileStartMs: number;
    /** The inputs that the provider takes. */
    readable: ReadableMedia;
    /** Whether the clip gets the video's sound. */
    hasSound: boolean;
    /** An existing directory for files that are deleted before this returns. */
    scratchDir: string;
    /** The largest clip, in bytes. */
    maxBytes: number;
    /** The largest side of the picture above the clock, in pixels; 960 if not given. */
    maxSide?: number;
    /** How long it may take; 30 s if not given. */
    timeoutMs?: number;
  };

/** A part of a video, with the clock of the whole video in a strip below the picture, and the sudden changes in it. */
export type Clip = { bytes: Buffer; mimeType: string; edges: ClipEdges };

const usualTimeoutMs = 30_000;

/**
 * Cuts a clip from `fromMs` to `toMs` of a video, with `framesPerSecond` pictures a second. A black strip below the picture
 * shows the position of each picture in the whole video (`MM:SS.t`). The clip exists in memory only.
 *
 * @param path a video that `prepareForProvider` returned: its time stamps begin at 0 and do not jump.
 * @throws FfmpegFailure when the part cannot be cut or holds no picture, or the clip is larger than `maxBytes`; a plain
 *   error if this machine is at fault.
 * @example
 * const { bytes } = await cutClip(path, { fromMs: 60_000, toMs: 80_000, framesPerSecond: 4, ...options });
 */
export async function cutClip(path: string, options: Options): Promise<Clip> {
  const { fromMs, toMs, fileStartMs, framesPerSecond, readable, hasSound, scratchDir, maxBytes, confinement, signal } =
    options;
  const { maxSide = largest, timeoutMs = usualTimeoutMs } = options;
  const { container, mimeType } = planEncode(readable);
  const directory = await mkdtemp(join(scratchDir, "clip-"));
  const [clock, output] = [join(directory, "clock"), join(directory, "clip")];
  try {
    await writeFile(clock, drawClock(options), { mode: 0o600 });
    const { stderr } = await runFfmpeg(
      {
        input: path,
        inputOptions: ["-v", "info", "-ss", seconds(fromMs - fileStartMs), "-t", seconds(toMs - fromMs)],
        rawPictures: { path: clock, ...clockSize, framesPerSecond },
        outputOptions: [
          ...["-filter_complex", graph(framesPerSecond, maxSide), "-map", "[clip]", ...videoEncoders[container]],
          ...(hasSound ? ["-map", "0:a:0?", ...audioOptions({ container, audio: "encode" }), "-ac", "1"] : []),
          ...(hasSound ? ["-filter:a", edgeFilters.sound] : []),
          ...["-map_metadata", "-1", "-map_chapters", "-1", "-t", seconds(toMs - fromMs), "-f", container],
        ],
        output,
      },
      { timeoutMs, maxCpuSeconds: maxCores * (timeoutMs / 1000), maxFileBytes: maxBytes, confinement, signal },
    );
    if (/^video:0\s?Ki?B/im.test(stderr)) {
      throw new FfmpegFailure("ffmpeg", {
        reason: "exit",
        exitCode: 0,
        signal: null,
        stderr: "The clip has no picture.",
      });
    }
    return { bytes: await readFile(output), mimeType, edges: readEdges(stderr, { fromMs, toMs }) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * A picture of 4K is decoded 30 times a second on one core. Decoding may have to start seconds before the clip, at the
 * last whole picture.
 */
const maxCores = 4;

/** The largest side of the picture, and the minimum size to which a picture is enlarged for the clock, in pixels. */
const largest = 960;
const smallest = { width: 320, height: 180 };

/**
 * Cuts are found in all pictures, before most are dropped. A picture shows the video at its clock's time, because `fps`
 * rounds down.
 */
function graph(framesPerSecond: number, maxSide: number): string {
  const size = `w='clip(iw,${smallest.width},${maxSide})':h='clip(ih,${smallest.height},${maxSide})'`;
  const strip = `pad=w='max(iw,${clockSize.width})':h='ih+${clockSize.height}':x='(ow-iw)/2':y=0:color=black`;
  return [
    `[0:V:0]${edgeFilters.picture},fps=fps=${framesPerSecond}:start_time=0:round=down`,
    `scale=${size}:force_original_aspect_ratio=decrease:force_divisible_by=2,${strip},format=yuv420p[picture]`,
  ]
    .join(",")
    .concat(";[picture][1:v:0]overlay=x='(W-w)/2':y='H-h':eof_action=repeat,format=yuv420p[clip]");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** The sudden changes in a clip, in milliseconds from the start of the whole video. */
type ClipEdges = {
  /** Hard cuts between pictures. */
  cutsMs: number[];
  /** Spans without sound. A span that lasts to the end of the clip ends there. */
  silences: { fromMs: number; toMs: number }[];
};

/** The filters that print the lines for `readEdges`, for a picture and for its sound. */
const edgeFilters = { picture: "scdet=threshold=12", sound: "silencedetect=noise=-50dB:duration=0.4" };

/** Reads the lines that ffmpeg prints with `edgeFilters`. */
function readEdges(stderr: string, clip: { fromMs: number; toMs: number }): ClipEdges {
  const inVideo = (seconds: string | undefined) => {
    const ms = clip.fromMs + Math.round(Number(seconds) * 1000);
    return Math.min(Math.max(ms, clip.fromMs), clip.toMs);
  };
  const cutsMs = [...stderr.matchAll(/lavfi\.scd\.time: ?(\d+(?:\.\d+)?)/g)].map(([, seconds]) => inVideo(seconds));
  const silences: ClipEdges["silences"] = [];
  for (const [, edge, seconds] of stderr.matchAll(/silence_(start|end): (-?\d+(?:\.\d+)?(?:e-?\d+)?)/g)) {
    const last = silences.at(-1);
    if (edge === "start") silences.push({ fromMs: inVideo(seconds), toMs: clip.toMs });
    else if (last) last.toMs = inVideo(seconds);
  }
  return { cutsMs: [...new Set(cutsMs)].sort((a, b) => a - b), silences };
}
