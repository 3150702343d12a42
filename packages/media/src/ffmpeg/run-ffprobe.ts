import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
import { type ProcessResult, runLimited } from "./limited-process.ts";

/** What the run may use, and who reads its output as it comes; `onStdout` answers true when it has seen enough. */
export type FfprobeLimits = {
  timeoutMs: number;
  maxCpuSeconds: number;
  signal?: AbortSignal | undefined;
  onStdout?: ((chunk: Buffer) => boolean) | undefined;
};

/** Runs ffprobe once on a local file of the allowed containers and codecs, with `options` before `-i`. Throws `FfmpegFailure`. */
export function runFfprobe(input: string, options: readonly string[], limits: FfprobeLimits): Promise<ProcessResult> {
  const command = ffmpeg()
    .input(`file:${input}`)
    .inputOptions("-hide_banner", ...allowedInputOptions(), "-threads", "1", ...options);
  return runLimited("ffprobe", command, {
    ...limits,
    maxMemoryBytes: 1_500_000_000,
    maxCpuSeconds: limits.maxCpuSeconds,
    maxFileBytes: 0,
    maxStdoutBytes: limits.onStdout ? Number.POSITIVE_INFINITY : 4 * 1024 * 1024,
  });
}
