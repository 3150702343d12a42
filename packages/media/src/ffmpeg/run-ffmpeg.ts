import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
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
  signal?: AbortSignal | undefined;
  /** Most bytes of standard output; 64 MiB where it is kept, no bound where it is handed over. */
  maxStdoutBytes?: number | undefined;
  /** Given, standard output is handed over as it comes, and `stdout` of the result is empty. */
  onStdout?: ((chunk: Buffer) => void) | undefined;
};

/**
 * Runs ffmpeg once on a local file, at its default log level, without console and without our environment. The input may
 * only be a file of the allowed containers and codecs. Throws `FfmpegFailure`.
 */
export function runFfmpeg(request: FfmpegRequest, limits: FfmpegLimits): Promise<ProcessResult> {
  const { onStdout, timeoutMs, signal } = limits;
  const toStdout = request.output === "-";
  const command = ffmpeg()
    .input(`file:${request.input}`)
    .inputOptions("-hide_banner", "-nostdin", ...allowedInputOptions(), ...(request.inputOptions ?? []))
    .output(toStdout ? "-" : `file:${request.output}`)
    .outputOptions("-y", "-nostats", ...request.outputOptions);
  return runLimited("ffmpeg", command, {
    timeoutMs,
    signal,
    maxMemoryBytes: 4 * GiB,
    maxCpuSeconds: Math.ceil(timeoutMs / 1000) * mostCores,
    maxFileBytes: toStdout ? 0 : 4 * GiB,
    maxStdoutBytes: limits.maxStdoutBytes ?? (onStdout ? Number.POSITIVE_INFINITY : 64 * 1024 * 1024),
    onStdout: onStdout && handOver(onStdout),
  });
}

function handOver(onStdout: (chunk: Buffer) => void): (chunk: Buffer) => boolean {
  return (chunk) => {
    onStdout(chunk);
    return false;
  };
}

const GiB = 1024 ** 3;
const mostCores = 8;
