import { type RunContext, runFfmpeg } from "@video-to-json/media";

/** The size of the first frame, the duration that the header states, if any, and whether the file has a sound track. */
export type FirstFrame = { width: number; height: number; durationMs: number | undefined; hasSound: boolean };

/** Decodes the first frame. Rejects with `FfmpegFailure` or an `Error` if there is no picture. */
export async function readFirstFrame(path: string, context: RunContext): Promise<FirstFrame> {
  const outputOptions = ["-map", "0:V:0", "-frames:v", "1", "-vf", "showinfo", "-f", "null"];
  const { stderr } = await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 60_000, ...context });
  const size = / s:(\d+)x(\d+) /.exec(stderr);
  if (!size) throw new Error("ffmpeg decoded no frame.");
  const clock = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(stderr);
  const seconds = clock && Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  return {
    width: Number(size[1]),
    height: Number(size[2]),
    durationMs: seconds === null ? undefined : Math.round(seconds * 1000),
    hasSound: /^ *Stream #0:.*: Audio: /m.test(stderr),
  };
}
