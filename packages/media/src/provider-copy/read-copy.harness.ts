import { open } from "node:fs/promises";
import type { Confinement } from "../ffmpeg/confinement.ts";
import { nameContainer } from "../measure/container.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { measureLength, startsLate, timedStreams } from "../measure/measure-length.ts";

/** What a copy holds. */
export type Copy = Pick<
  MeasuredVideo,
  "durationMs" | "videoCodec" | "audioCodec" | "width" | "height" | "timedStreams" | "uncounted" | "late"
> & { container: string | undefined };

/** Reads what a copy holds, with one start of ffprobe. `measure` takes a second start, to decode pictures. */
export async function readCopy(path: string, confinement: Confinement): Promise<Copy> {
  await using file = await open(path, "r");
  const bounds = { maxVideoSeconds: 600, maxPacketBytes: Number.POSITIVE_INFINITY, confinement };
  const { header, length } = await measureLength(path, file, bounds);
  const timed = timedStreams(header);
  const { codec, width = 0, height = 0 } = timed.find(({ kind }) => kind === "video") ?? {};
  return {
    container: nameContainer(header.format, header.brand, Buffer.alloc(0))?.container,
    ...{ durationMs: Math.round(length.seconds * 1000), videoCodec: codec ?? "", width, height },
    audioCodec: timed.find(({ kind }) => kind === "audio")?.codec ?? null,
    ...{ timedStreams: timed.map(({ index }) => index), uncounted: length.uncounted, late: startsLate(length) },
  };
}
