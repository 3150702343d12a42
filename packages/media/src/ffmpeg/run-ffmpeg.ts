import { type FileHandle, open } from "node:fs/promises";
import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
import type { Confinement, RunContext } from "./confinement.ts";
import { findProgram } from "./find-program.ts";
import { type ProcessResult, runLimited } from "./limited-process.ts";
import type { OpenFile } from "./start-program.ts";

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
    files: files.opened,
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

/** The limits of one run, and what happens to its output. */
export type FfprobeLimits = RunContext & {
  timeoutMs: number;
  maxCpuSeconds: number;
  /** Receives the output while the program runs. Returns true to end the run successfully. */
  onStdout?: ((chunk: Buffer) => boolean) | undefined;
};

/**
 * Runs ffprobe on a local file of an allowed container and codec, with `options` before `-i`. Throws `FfmpegFailure`.
 */
export async function runFfprobe(
  input: string,
  options: readonly string[],
  limits: FfprobeLimits,
): Promise<ProcessResult> {
  await using files = await handOver(limits.confinement, { input });
  const command = ffmpeg()
    .input(files.input)
    .inputOptions("-hide_banner", ...allowedInputOptions(), "-threads", "1", ...options);
  return await runLimited("ffprobe", command, {
    ...limits,
    files: files.opened,
    maxMemoryBytes: 1_500_000_000,
    maxFileBytes: 0,
    maxStdoutBytes: limits.onStdout ? Number.POSITIVE_INFINITY : 4 * 1024 * 1024,
  });
}

/** The open files of one run, with the names under which the program finds them. Disposing of it closes them. */
export type HandedFiles = AsyncDisposable & {
  input: string;
  /** The names of the other inputs. */
  others: readonly string[];
  output: string;
  opened: readonly OpenFile[];
};

/**
 * Opens the files of a run, so that the program can use them although it sees no directory of ours. Creates an output,
 * or empties an existing one. Close them after the run.
 *
 * @param files are our own paths. Without an output, the program can write to no file.
 * @throws the error of the file system, which is this machine's fault and not the video's.
 */
export async function handOver(
  { hasOwnUser }: Pick<Confinement, "hasOwnUser">,
  files: { input: string; others?: readonly string[]; output?: string | undefined },
): Promise<HandedFiles> {
  const inputs = [files.input, ...(files.others ?? [])];
  const opened: FileHandle[] = [];
  const close = async () => void (await Promise.all(opened.map((file) => file.close())));
  try {
    for (const path of inputs) opened.push(await open(path, "r"));
    if (files.output !== undefined) opened.push(await open(files.output, "w", 0o600));
    // The program opens the file behind the descriptor again. Other users cannot, because they may not enter the
    // directory.
    if (hasOwnUser)
      for (const [index, file] of opened.entries()) await file.chmod(index < inputs.length ? 0o644 : 0o666);
  } catch (error) {
    await close();
    throw error;
  }
  const nameOf = (index: number) => `file:${process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"}/${index}`;
  const handed = opened.map(({ fd }, index) => ({ descriptor: fd, writes: index >= inputs.length }));
  const [input = "", ...others] = inputs.map((_, index) => nameOf(3 + index));
  return { input, others, output: nameOf(3 + inputs.length), opened: handed, [Symbol.asyncDispose]: close };
}

/** Returns one line for each of ffmpeg and ffprobe that is missing or does not start. */
export async function findProgramFaults(confinement: Confinement): Promise<string[]> {
  const faults = await Promise.all((["ffmpeg", "ffprobe"] as const).map((program) => faultOf(program, confinement)));
  return faults.filter((fault) => fault !== undefined);
}

/**
 * Starts the program as for a video, so that any obstacle is found now. If an isolation was found, its trial has
 * started both programs, so they only have to be on `PATH`.
 */
async function faultOf(program: "ffmpeg" | "ffprobe", confinement: Confinement): Promise<string | undefined> {
  const { isolated, programDirectory } = confinement;
  try {
    if (isolated.length > 0) await (programDirectory ?? findProgram(program));
    else await startOnce(program, confinement);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function startOnce(program: "ffmpeg" | "ffprobe", confinement: Confinement): Promise<void> {
  const command = ffmpeg().input("none").inputOptions("-version");
  await runLimited(program, command, { ...limitsOfTrial, confinement });
}

const limitsOfTrial = {
  ...{ timeoutMs: 60_000, maxMemoryBytes: 1_500_000_000, maxCpuSeconds: 30 },
  ...{ maxFileBytes: 0, maxStdoutBytes: 1_000_000 },
};
