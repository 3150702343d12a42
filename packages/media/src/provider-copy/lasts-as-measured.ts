import { open } from "node:fs/promises";
import type { RunContext } from "../ffmpeg/confinement.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { measureLength, startsLate } from "../measure/measure-length.ts";

/**
 * Returns whether a copy is as long as the measured video, within half a second or 2 %. The caller pays for the
 * measured length, so the provider has to receive all of it, and nothing before it. Throws `FfmpegFailure`.
 */
export async function lastsAsMeasured(
  copy: string,
  { video, confinement, signal }: RunContext & { video: Pick<MeasuredVideo, "durationMs"> },
): Promise<boolean> {
  const wanted = video.durationMs / 1000;
  const slack = Math.max(0.5, wanted / 50);
  await using file = await open(copy, "r");
  const bounds = { maxVideoSeconds: wanted + slack, maxPacketBytes: Number.POSITIVE_INFINITY, confinement, signal };
  const { length } = await measureLength(copy, file, bounds);
  return Math.abs(length.seconds - wanted) <= slack && !startsLate(length);
}
