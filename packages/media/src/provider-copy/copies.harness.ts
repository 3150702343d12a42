import { open } from "node:fs/promises";
import type { Confinement } from "../ffmpeg/confinement.ts";
import { nameContainer } from "../measure/container.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { measureLength, startsLate, timedStreams } from "../measure/measure-length.ts";
import type { ReadableMedia } from "./copy-plan.ts";

/** The bytes before the first tag: the header, and the length of no tag. */
export const flvHeaderBytes = 13;
/** The first byte of a tag with video. */
export const videoTag = 9;

/** A tag with a call of `onTextData`, whose argument is an array of one text. */
export function flvCaption(text: string): Buffer {
  const string = (value: string) => Buffer.from(`\0${String.fromCharCode(value.length)}${value}`, "latin1");
  const [textType, arrayType, arrayLength] = [Buffer.from([2]), Buffer.from([8]), Buffer.from([0, 0, 0, 1])];
  const named = Buffer.concat([string("text"), textType, string(text)]);
  const end = Buffer.from([0, 0, 9]);
  const content = Buffer.concat([textType, string("onTextData"), arrayType, arrayLength, named, end]);
  const head = Buffer.alloc(11);
  head.writeUIntBE(0x12_000000 + content.length, 0, 4);
  head.writeUIntBE(900, 4, 3);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length + content.length);
  return Buffer.concat([head, content, length]);
}

/** Returns the tags of an FLV file, each with its trailing length. ffmpeg's first tag describes the file. */
export function flvTags(file: Buffer): Buffer[] {
  const tags: Buffer[] = [];
  for (let at = flvHeaderBytes; at + 11 <= file.length; at += tags.at(-1)?.length ?? 0)
    tags.push(file.subarray(at, at + 11 + file.readUIntBE(at + 1, 3) + 4));
  return tags;
}

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

/** A provider that reads most containers, but not Matroska, MPEG-TS and Ogg. */
export const readableMedia: ReadableMedia = {
  containers: { mp4: "any", mov: "any", "3gp": "any", webm: "any", avi: "any", mpeg: "any", flv: "any", asf: "any" },
  videoCodecs: ["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mjpeg", "flv1", "prores", "wmv3"],
  maxFileBytes: 2 * 1024 ** 3,
};
