import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
import { FfmpegFailure } from "./ffmpeg-failure.ts";
import { type ProcessResult, runLimited } from "./limited-process.ts";

/** One run. `input` and `output` are paths of ours, never a caller's text; `output` "-" is standard output. */
export type FfmpegRequest = {
  input: string;
  /** Put before `-i`, after the allow-lists. */
  inputOptions?: readonly string[];
  outputOptions: readonly string[];
  output: string;
};

/** What the run may use. */
export type FfmpegLimits = {
  timeoutMs: number;
  /** On all cores together; as much as eight can give in the time, unless told. */
  maxCpuSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Largest file it may write; 4 GiB unless told. */
  maxFileBytes?: number | undefined;
  /** Most bytes of standard output; 64 MiB where it is kept, no bound where it is handed over. */
  maxStdoutBytes?: number | undefined;
  /** Given, standard output is handed over as it comes, and `stdout` of the result is empty. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
};

/**
 * Runs ffmpeg once on a local file, at its default log level, without console and without our environment. The input may
 * only be a file of the allowed containers and codecs. Throws `FfmpegFailure`.
 */
export async function runFfmpeg(request: FfmpegRequest, limits: FfmpegLimits): Promise<ProcessResult> {
  const { onStdout, timeoutMs, signal } = limits;
  const toStdout = request.output === "-";
  const command = ffmpeg()
    .input(`file:${request.input}`)
    .inputOptions("-hide_banner", "-nostdin", ...allowedInputOptions(), ...(request.inputOptions ?? []))
    .output(toStdout ? "-" : `file:${request.output}`)
    .outputOptions("-y", "-nostats", ...request.outputOptions);
  const result = await runLimited("ffmpeg", command, {
    timeoutMs,
    signal,
    maxMemoryBytes: 4 * GiB,
    maxCpuSeconds: limits.maxCpuSeconds ?? Math.ceil(timeoutMs / 1000) * mostCores,
    maxFileBytes: toStdout ? 0 : (limits.maxFileBytes ?? 4 * GiB),
    maxStdoutBytes: limits.maxStdoutBytes ?? (onStdout ? Number.POSITIVE_INFINITY : 64 * 1024 * 1024),
    onStdout: onStdout && handOver(onStdout),
  });
  // What goes wrong with the very end of a file ffmpeg tells of, and ends as if all were well.
  if (!toStdout && /^Error (writing trailer|closing file)/m.test(result.stderr))
    throw new FfmpegFailure("ffmpeg", {
      reason: "exit",
      exitCode: 0,
      signal: null,
      stderr: result.stderr.slice(-4000),
    });
  return result;
}

function handOver(onStdout: (chunk: Buffer) => void): (chunk: Buffer) => boolean {
  return (chunk) => {
    onStdout(chunk);
    return false;
  };
}

const GiB = 1024 ** 3;
const mostCores = 8;
