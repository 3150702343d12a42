import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

/**
 * Decodes the first frames of one video stream and says how many came out, at most `wanted`. Nothing else tells
 * encrypted or random bytes under a healthy header from a video. Throws `FfmpegFailure`.
 */
export async function decodeFirstFrames(
  path: string,
  stream: number,
  options: { wanted: number; isMov: boolean; signal?: AbortSignal | undefined },
): Promise<number> {
  const { stdout } = await runFfmpeg(
    {
      input: path,
      inputOptions: [...["-v", "error", "-threads", "2"], ...(options.isMov ? ["-ignore_editlist", "1"] : [])],
      outputOptions: [
        ...["-map", `0:${stream}`, "-frames:v", String(options.wanted)],
        // Whole frames, uncopied: one line of checksums each.
        ...["-fps_mode", "passthrough", "-f", "framecrc"],
      ],
      output: "-",
    },
    { timeoutMs: 60_000, maxCpuSeconds: 30, signal: options.signal, maxStdoutBytes: 64 * 1024 },
  );
  const lines = stdout.toString("latin1").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).length;
}
