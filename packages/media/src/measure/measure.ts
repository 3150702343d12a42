import { type FileHandle, open } from "node:fs/promises";
import { roundedSeconds } from "@video-to-json/contract";
import { FfmpegFailure } from "../ffmpeg/ffmpeg-failure.ts";
import { noteFile } from "../note-file.ts";
import { nameContainer } from "./container.ts";
import { decodeFirstFrames } from "./decode-first-frames.ts";
import { type Length, measureLength } from "./measure-length.ts";
import { readMp4Facts } from "./mp4-boxes.ts";
import { bytesToName, nameNonVideo } from "./not-a-video.ts";
import { type Header, type HeaderStream, readHeader } from "./read-header.ts";
import { mostPicturesPerSecond, tooManyPictures } from "./scan-packets.ts";
import { leastSoundSeconds, mostSoundSeconds } from "./sound-length.ts";
import { stopsEarly } from "./stops-early.ts";
import { streamsForCopy } from "./streams-for-copy.ts";
import { unreadable } from "./unreadable.ts";
import { VideoTooLong } from "./video-too-long.ts";

/** What was measured. `container` is a plain name (`mp4`, `mov`, `matroska`, …); codecs are ffmpeg's names. */
export type MeasuredVideo = {
  durationMs: number;
  container: string;
  mimeType: string;
  videoCodec: string;
  audioCodec: string | null;
  width: number;
  height: number;
  /** Indexes of the sound and moving pictures, all of which count for the length. */
  timedStreams: readonly number[];
  /** Indexes of those that a copy takes: the picture, its sound, and others only where it would be shorter without. */
  copyStreams: readonly number[];
  /** There is more sound or moving picture than counts: only a copy may be sent. */
  uncounted: boolean;
};

type MeasureOptions = { maxVideoSeconds: number; signal?: AbortSignal | undefined };

/**
 * Measures a video from its packets, sound and picture together, never from what its header says
 * (docs/decisions/0001, "What is a video"). Throws the Problems `media_unreadable` and `video_too_long` (`VideoTooLong`);
 * when `signal` aborts, its reason; a plain error where the file went away or was changed meanwhile.
 */
export async function measure(path: string, options: MeasureOptions): Promise<MeasuredVideo> {
  const noted = await noteFile(path);
  const file = await open(path, "r");
  try {
    return await measureOpened(path, file, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    await noted.throwIfChanged();
    if (error instanceof FfmpegFailure) throw unreadable("The file cannot be read as a video.", error);
    throw error;
  } finally {
    await file.close();
  }
}

async function measureOpened(path: string, file: FileHandle, options: MeasureOptions): Promise<MeasuredVideo> {
  const { maxVideoSeconds, signal } = options;
  const firstBytes = await readFirstBytes(file);
  const header = await readHeader(path, signal);
  const container = nameContainer(header.format, header.brand, firstBytes);
  if (!container) throw unreadable("The file holds an image, not a video.");
  const isMov = header.format.startsWith("mov");
  const boxes = isMov ? await readMp4Facts(file) : null;
  if (boxes?.encrypted || header.streams.some((stream) => stream.encrypted))
    throw unreadable("The video is encrypted.");
  const timed = header.streams.filter((stream) => stream.kind !== "other" && !stream.still);
  const pictures = timed.filter((stream) => stream.kind === "video" && stream.codec !== null);
  if (pictures.length === 0) throw unreadable(reasonForNoPicture(header));

  const indexes = timed.map((stream) => stream.index);
  const mostBytes = mostUnpackedBytes((await file.stat()).size);
  const length = await measureLength(path, header, indexes, { maxVideoSeconds, mostBytes, signal });
  // A scan that was stopped has not seen all pictures: the second may be a day after the first.
  const picture =
    pictures.find((stream) => length.stream(stream.index).packets > 1) ?? (length.atLeast ? pictures[0] : undefined);
  if (!picture) throw unreadable("The file holds a single picture, not a moving one.");
  const { packets, seconds } = length.stream(picture.index);
  if (!length.atLeast && packets > seconds * mostPicturesPerSecond) throw tooManyPictures();
  if (!length.atLeast) refuseSqueezedSound(header, timed, length);
  const wanted = length.atLeast ? 2 : Math.min(3, packets);
  if ((await decodeFirstFrames(path, picture.index, { wanted, isMov, signal })) < 2)
    throw unreadable("The first pictures of the video cannot be decoded.");
  if (!length.atLeast && (await stopsEarly(file, header, boxes, length)))
    throw unreadable("The file stops before the end that it declares, as a broken upload does.");
  refuseTooLong(length.seconds, length.atLeast, maxVideoSeconds);
  const known = timed.filter((stream) => stream.codec !== null);
  const sound = known.find((stream) => stream.kind === "audio");
  const chosen = [picture, ...(sound ? [sound] : [])].map((stream) => stream.index);
  const others = known.map((stream) => stream.index);
  return {
    durationMs: Math.round(length.seconds * 1000),
    ...container,
    videoCodec: picture.codec ?? "",
    audioCodec: sound?.codec ?? null,
    width: picture.width,
    height: picture.height,
    timedStreams: indexes,
    copyStreams: streamsForCopy(chosen, others, length.total),
    uncounted: length.uncounted,
  };
}

/** Matroska may leave out what all packets begin with, which is a few bytes where it is meant well, and compress captions. */
function mostUnpackedBytes(fileBytes: number): number {
  return 1.5 * fileBytes + 1_000_000;
}

async function readFirstBytes(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesToName), 0, bytesToName, 0);
  if (bytesRead === 0) throw unreadable("The file is empty.");
  const firstBytes = buffer.subarray(0, bytesRead);
  const other = nameNonVideo(firstBytes);
  if (other) throw unreadable(`The file is ${other}, not a video.`);
  return firstBytes;
}

function reasonForNoPicture(header: Header): string {
  if (header.streams.some((stream) => stream.kind === "video" && !stream.still))
    return "The file's pictures are in a format that is not known.";
  if (header.streams.some((stream) => stream.kind === "audio")) return "The file holds sound, but no moving picture.";
  return "The file holds no moving picture.";
}

/** Time stamps say when a packet is due, but a decoder plays all that it holds. */
function refuseSqueezedSound(header: Header, timed: readonly HeaderStream[], { unedited }: Length): void {
  const least = (sound: HeaderStream) => leastSoundSeconds(header, sound, unedited.stream(sound.index));
  if (Math.max(0, ...timed.map(least)) > mostSoundSeconds(unedited.seconds))
    throw unreadable("The file holds more sound than its time stamps leave room for.");
}

function refuseTooLong(seconds: number, atLeast: boolean, maxVideoSeconds: number): void {
  if (roundedSeconds(Math.round(seconds * 1000)) <= maxVideoSeconds) return;
  throw new VideoTooLong({ seconds, exact: !atLeast, maxSeconds: maxVideoSeconds });
}
