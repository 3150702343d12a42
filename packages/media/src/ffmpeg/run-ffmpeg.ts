import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
import type { RunContext } from "./confinement.ts";
import { handOver } from "./hand-over.ts";
import { type ProcessResult, runLimited } from "./limited-process.ts";

/** The files and options of one run. `input` and `output` are our own paths, never a caller's text. */
export type FfmpegRequest = {
  input: string;
  /** Options before `-i`, after the lists of allowed containers and codecs. */
  inputOptions?: readonly string[];
  /** A second input: our own pictures, one byte a pixel, for a filter of `outputOptions`. */
  rawPictures?: RawPictures | undefined;
  outputOptions: readonly string[];
  /** A path, or "-" for standard output. ffmpeg does not see its name, so `outputOptions` say the format. */
  output: string;
};

/** A file of pictures that we drew. */
type RawPictures = { path: string; width: number; height: number; framesPerSecond: number };

/** The limits of one run, and what happens to its output. */
export type FfmpegLimits = RunContext & {
  timeoutMs: number;
  /** CPU time of all cores together. By default, what eight cores can use in `timeoutMs`. */
  maxCpuSeconds?: number | undefined;
  /** The largest file that it may write. 4 GiB by default. */
  maxFileBytes?: number | undefined;
  /** The largest standard output. 64 MiB by default, or unlimited with `onStdout`. */
  maxStdoutBytes?: number | undefined;
  /** Receives standard output while ffmpeg runs. `stdout` of the result is empty then. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
};

/**
 * Runs ffmpeg on a local file of an allowed container and codec, at its default log level, without stdin and without
 * our environment.
 *
 * @returns standard output and standard error.
 * @throws `FfmpegFailure`, or a plain error if this machine is at fault.
 * @example
 * const outputOptions = ["-frames:v", "1", "-f", "rawvideo"];
 * await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
 */
export async function runFfmpeg(request: FfmpegRequest, limits: FfmpegLimits): Promise<ProcessResult> {
  const { onStdout, timeoutMs, signal, confinement } = limits;
  const toStdout = request.output === "-";
  await using files = await handOver(confinement, {
    input: request.input,
    others: request.rawPictures ? [request.rawPictures.path] : [],
    output: toStdout ? undefined : request.output,
  });
  const command = ffmpeg()
    .input(files.input)
    .inputOptions("-hide_banner", "-nostdin", ...allowedInputOptions(), ...(request.inputOptions ?? []));
  const [pictures] = files.others;
  if (request.rawPictures && pictures) command.input(pictures).inputOptions(...rawInputOptions(request.rawPictures));
  command.output(toStdout ? "-" : files.output).outputOptions("-y", "-nostats", ...request.outputOptions);
  return await runLimited("ffmpeg", command, {
    timeoutMs,
    signal,
    confinement,
    maxMemoryBytes: 4 * GiB,
    maxCpuSeconds: limits.maxCpuSeconds ?? Math.ceil(timeoutMs / 1000) * maxCores,
    descriptors: files.descriptors,
    maxFileBytes: toStdout ? 0 : (limits.maxFileBytes ?? 4 * GiB),
    maxStdoutBytes: limits.maxStdoutBytes ?? (onStdout ? Number.POSITIVE_INFINITY : 64 * 1024 * 1024),
    onStdout: onStdout && neverEnding(onStdout),
    // ffmpeg reports an error at the very end of a file, but exits with 0.
    failure: toStdout ? undefined : /^Error (writing trailer|closing file)/m,
  });
}

function rawInputOptions({ width, height, framesPerSecond }: RawPictures): string[] {
  const allowed = ["-protocol_whitelist", "file", "-format_whitelist", "rawvideo", "-codec_whitelist", "rawvideo"];
  const form = ["-f", "rawvideo", "-pixel_format", "gray", "-video_size", `${width}x${height}`];
  return [...allowed, ...form, "-framerate", String(framesPerSecond)];
}

function neverEnding(onStdout: (chunk: Buffer) => void): (chunk: Buffer) => boolean {
  return (chunk) => {
    onStdout(chunk);
    return false;
  };
}

const GiB = 1024 ** 3;
const maxCores = 8;
