import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

type Options = RunContext & {
  framesPerSecond: number;
  /** The longest side, in pixels. Smaller pictures keep their size. */
  maxSide: number;
  maxPictures: number;
  /** An existing directory for a video that is in memory. Its file is deleted before this returns. */
  scratchDir: string;
};

/** A JPEG picture, and its time from the start of the file in milliseconds. */
export type Picture = { ms: number; jpeg: Uint8Array };

const timeoutMs = 120_000;
/** Six hundred pictures of 448 pixels have about 15 MB. */
const maxBytes = 64 * 1024 * 1024;
/** The end of a picture, and the beginning of the next one. Within a picture, no such bytes follow each other. */
const seam = Buffer.from([0xff, 0xd9, 0xff, 0xd8]);

/**
 * Takes pictures of a video at a constant rate, in order of time. Each is the last picture of its step, so what begins
 * within a second is in the picture with the time of that second.
 *
 * @param video the path of a video that `prepareForProvider` returned, or the bytes of a clip.
 * @throws FfmpegFailure when the video cannot be decoded, or its pictures are too large; a plain error if this machine
 *   is at fault.
 */
export async function takePictures(video: string | Uint8Array, options: Options): Promise<Picture[]> {
  if (typeof video === "string") return takeFrom(video, options);
  const directory = await mkdtemp(join(options.scratchDir, "pictures-"));
  try {
    const path = join(directory, "clip");
    await writeFile(path, video, { mode: 0o600 });
    return await takeFrom(path, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function takeFrom(path: string, options: Options): Promise<Picture[]> {
  const { framesPerSecond, maxSide, maxPictures, confinement, signal } = options;
  const size = `w='min(iw,${maxSide})':h='min(ih,${maxSide})':force_original_aspect_ratio=decrease:force_divisible_by=2`;
  const filter = `fps=fps=${framesPerSecond}:start_time=0:round=down:eof_action=pass,scale=${size},format=yuvj420p`;
  const encoder = ["-c:v", "mjpeg", "-q:v", "4", "-f", "image2pipe"];
  const { stdout } = await runFfmpeg(
    {
      input: path,
      outputOptions: ["-map", "0:V:0", "-vf", filter, "-frames:v", String(maxPictures), ...encoder],
      output: "-",
    },
    { timeoutMs, maxStdoutBytes: maxBytes, confinement, signal },
  );
  return splitPictures(stdout).map((jpeg, index) => ({ ms: Math.round((index * 1000) / framesPerSecond), jpeg }));
}

function splitPictures(bytes: Buffer): Buffer[] {
  const pictures: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(seam, from);
    const to = at < 0 ? bytes.length : at + 2;
    pictures.push(bytes.subarray(from, to));
    from = to;
  }
  return pictures;
}
