import { type RunContext, runFfmpeg } from "@video-to-json/media";

const maxSeconds = 3600;
const timeoutMs = 300_000;

/** A track of a video, and the ffmpeg options that write it to standard output. */
type Track = { track: "0:V:0" | "0:a:0"; outputOptions: readonly string[] };

/** Decodes the first hour of a track and passes its bytes to `onBytes`. Rejects with `FfmpegFailure`. */
export async function decodeTrack(
  path: string,
  { track, outputOptions }: Track,
  context: RunContext,
  onBytes: (bytes: Buffer) => void,
): Promise<void> {
  const options = ["-map", track, "-t", String(maxSeconds), ...outputOptions];
  const limits = { timeoutMs, ...context, onStdout: onBytes };
  await runFfmpeg({ input: path, outputOptions: options, output: "-" }, limits);
}
