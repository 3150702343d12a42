import { type RunContext, runFfmpeg } from "@video-to-json/media";

/** What one decoded frame and the header tell. */
export type FirstLook = { width: number; height: number; durationMs: number | undefined };

/** Decodes one frame. Rejects with ffmpeg's failure when there is no picture to be had. */
export async function takeFirstLook(path: string, context: RunContext): Promise<FirstLook> {
  const outputOptions = ["-map", "0:V:0", "-frames:v", "1", "-vf", "showinfo", "-f", "null"];
  const { stderr } = await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 60_000, ...context });
  const size = / s:(\d+)x(\d+) /.exec(stderr);
  if (!size) throw new Error("No frame could be decoded.");
  const clock = /Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(stderr);
  const seconds = clock && Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  return {
    width: Number(size[1]),
    height: Number(size[2]),
    durationMs: seconds === null ? undefined : Math.round(seconds * 1000),
  };
}
