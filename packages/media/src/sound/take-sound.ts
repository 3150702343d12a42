import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

type Options = RunContext & {
  /** A part of the file, in milliseconds from its start. */
  fromMs: number;
  toMs: number;
  /** An existing directory for a file that is deleted before this returns. */
  scratchDir: string;
};

const timeoutMs = 60_000;
/** Five minutes have two megabytes. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Takes the sound of a part of a video: AAC in MP4, one channel, 16 kHz, as recognisers of speech take it. Its first sample is at
 * `fromMs`, also where the sound of the video begins later.
 *
 * @param path a video with sound that `prepareForProvider` returned.
 * @throws FfmpegFailure when the sound cannot be decoded or is too large; a plain error if this machine is at fault.
 */
export async function takeSound(path: string, options: Options): Promise<Buffer> {
  const { fromMs, toMs, scratchDir, confinement, signal } = options;
  const directory = await mkdtemp(join(scratchDir, "sound-"));
  const output = join(directory, "sound");
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  try {
    await runFfmpeg(
      {
        input: path,
        inputOptions: ["-ss", seconds(fromMs), "-t", seconds(toMs - fromMs)],
        outputOptions: [
          ...["-map", "0:a:0", "-filter:a", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "16000"],
          ...["-c:a", "aac", "-b:a", "48k", "-map_metadata", "-1", "-map_chapters", "-1", "-f", "mp4"],
        ],
        output,
      },
      { timeoutMs, maxFileBytes: maxBytes, confinement, signal },
    );
    return await readFile(output);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
