import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

/**
 * Decodes the first frames of a video stream. Only decoding shows that the bytes under a valid header are neither
 * encrypted nor random.
 *
 * @param stream index of the stream.
 * @param options `wanted`: the number of frames to decode; `isMov`: the file belongs to the MP4 family.
 * @returns the number of decoded frames.
 * @throws `FfmpegFailure`.
 */
export async function decodeFirstFrames(
  path: string,
  stream: number,
  { wanted, isMov, ...context }: RunContext & { wanted: number; isMov: boolean },
): Promise<number> {
  const { stdout } = await runFfmpeg(
    {
      input: path,
      inputOptions: [
        ...["-v", "error", "-threads", "1", "-filter_threads", "1"],
        ...(isMov ? ["-ignore_editlist", "1"] : []),
      ],
      outputOptions: [
        ...["-map", `0:${stream}`, "-frames:v", String(wanted)],
        // One line of checksums for each complete frame.
        ...["-fps_mode", "passthrough", "-threads", "1", "-f", "framecrc"],
      ],
      output: "-",
    },
    { timeoutMs: 60_000, maxCpuSeconds: 30, ...context, maxStdoutBytes: 64 * 1024 },
  );
  const lines = stdout.toString("latin1").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).length;
}
