import type { RunContext } from "../ffmpeg/confinement.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { measureLength } from "../measure/measure-length.ts";
import { readHeader } from "../measure/read-header.ts";

/**
 * Whether a copy is as long as the measured video, within half a second or 2 %: the caller pays for the measured
 * length, so the provider has to receive all of it. Throws `FfmpegFailure`.
 */
export async function lastsAsMeasured(
  copy: string,
  { video, confinement, signal }: RunContext & { video: MeasuredVideo },
): Promise<boolean> {
  const wanted = video.durationMs / 1000;
  const slack = Math.max(0.5, wanted / 50);
  const header = await readHeader(copy, { confinement, signal });
  const streams = header.streams.map((stream) => stream.index);
  const bounds = { maxVideoSeconds: wanted + slack, maxPacketBytes: Number.POSITIVE_INFINITY, confinement, signal };
  const length = await measureLength(copy, header, streams, bounds);
  return Math.abs(length.seconds - wanted) <= slack;
}
