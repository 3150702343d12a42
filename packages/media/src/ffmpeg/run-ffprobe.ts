import ffmpeg from "fluent-ffmpeg";
import { allowedInputOptions } from "./allowed-input.ts";
import type { RunContext } from "./confinement.ts";
import { handOver } from "./hand-over.ts";
import { type ProcessResult, runLimited } from "./limited-process.ts";

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
    descriptors: files.descriptors,
    maxMemoryBytes: 1_500_000_000,
    maxFileBytes: 0,
    maxStdoutBytes: limits.onStdout ? Number.POSITIVE_INFINITY : 4 * 1024 * 1024,
  });
}
