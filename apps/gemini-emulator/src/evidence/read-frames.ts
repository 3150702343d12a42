import { type RunContext, runFfmpeg } from "@video-to-json/media";
import { createFrameTrack, type FrameTrack, frameSize } from "./frame-track.ts";

const longestSeconds = 3600;
const timeoutMs = 300_000;

/** Decodes the whole picture track once, small. Frame n shows what is on screen at the end of its 1/25 second. */
export async function readFrames(path: string, context: RunContext): Promise<FrameTrack> {
  const track = createFrameTrack();
  const { width, height, perSecond } = frameSize;
  // Rounding down keeps a cut in the second in which it happens.
  const filters = `fps=${perSecond}:start_time=0:round=down,scale=${width}:${height}:flags=area,format=rgb24`;
  const outputOptions = ["-map", "0:V:0", "-t", String(longestSeconds), "-vf", filters, "-f", "rawvideo"];
  await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs, ...context, onStdout: track.add });
  return track;
}
