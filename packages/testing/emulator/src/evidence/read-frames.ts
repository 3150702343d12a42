import type { RunContext } from "@video-to-json/media";
import { decodeTrack } from "./decode-track.ts";
import { frameSize } from "./frame-size.ts";
import { createFrameTrack, type FrameTrack } from "./frame-track.ts";

/** Decodes the picture track once, in a small size, without its lowest `cropBottom` rows. Frame n shows the picture at the end of the n-th 1/25 second. */
export async function readFrames(path: string, context: RunContext, cropBottom = 0): Promise<FrameTrack> {
  const frameTrack = createFrameTrack();
  const { width, height, perSecond } = frameSize;
  // Rounding down keeps a cut in the second in which it happens.
  const crop = cropBottom > 0 ? `crop=iw:ih-${cropBottom}:0:0,` : "";
  const filters = `${crop}fps=${perSecond}:start_time=0:round=down,scale=${width}:${height}:flags=area,format=rgb24`;
  const outputOptions = ["-vf", filters, "-f", "rawvideo"];
  await decodeTrack(path, { track: "0:V:0", outputOptions }, context, frameTrack.add);
  return frameTrack;
}
