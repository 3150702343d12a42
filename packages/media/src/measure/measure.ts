import { type FileHandle, open } from "node:fs/promises";
import { roundedSeconds } from "@video-to-json/contract";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { FfmpegFailure } from "../ffmpeg/limited-process.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { takeFileSnapshot } from "../machine-faults.ts";
import { bytesToName, type Container, nameContainer, nameNonVideo } from "./container.ts";
import { endsEarly } from "./ends-early.ts";
import { type Length, measureLength, type ScannedFile, startsLate, timedStreams } from "./measure-length.ts";
import { mediaUnreadable, VideoTooLong } from "./media-problems.ts";
import type { Mp4Facts } from "./mp4-boxes.ts";
import type { Header, HeaderStream } from "./read-header.ts";
import { maxPicturesPerSecond, tooManyPictures } from "./scan-packets.ts";
import { maxSoundSeconds, minSoundSeconds, sumSoundHeads } from "./sound-length.ts";
import type { Timeline } from "./timeline.ts";

/** The measurements of a video. Codecs have ffmpeg's names. */
export type MeasuredVideo = {
  durationMs: number;
  /** The container's common name: `mp4`, `mov`, `matroska`, … */
  container: string;
  mimeType: string;
  videoCodec: string;
  audioCodec: string | null;
  width: number;
  height: number;
  /** Indexes of the sound and moving pictures. The length of the video includes them all. */
  timedStreams: readonly number[];
  /**
   * Indexes of the streams of a copy: the picture, its sound, and others only if the copy would be shorter without
   * them.
   */
  copyStreams: readonly number[];
  /** The file holds sound or moving pictures outside the measured length, so the provider may only get a copy. */
  uncounted: boolean;
  /** An edit list hides or repeats a part of the file, so only a copy of what players show may be sent to the provider. */
  edited: boolean;
  /** Nothing is shown for a while before the video begins, so only a copy that begins at once may be sent. */
  late: boolean;
  /** Most of the file does not belong to the video, so only a copy may be sent to the provider. */
  padded: boolean;
  /** The sum of all packets, in bytes. */
  packetBytes: number;
  /** The sum of the pixels of all pictures of `copyStreams`, which measures the work to encode them. */
  pixels: number;
};

type MeasureOptions = RunContext & {
  /** For a longer video, `VideoTooLong` is thrown. */
  maxVideoSeconds: number;
};

/**
 * Measures a video by its packets, sound and pictures together, never by its header (docs/decisions/0001, "What is a
 * video").
 *
 * @throws Problem `media_unreadable`, or `video_too_long` as `VideoTooLong`; the reason of `signal`; a plain error if
 *   the file was removed or changed meanwhile.
 * @example
 * const { durationMs } = await measure(path, { maxVideoSeconds: 600, confinement: await findConfinement() });
 */
export async function measure(path: string, options: MeasureOptions): Promise<MeasuredVideo> {
  const snapshot = await takeFileSnapshot(path);
  const file = await open(path, "r");
  try {
    return await measureOpened(path, file, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    await snapshot.throwIfChanged();
    if (error instanceof FfmpegFailure) throw mediaUnreadable("The file cannot be read as a video.", error);
    throw error;
  } finally {
    await file.close();
  }
}

async function measureOpened(path: string, file: FileHandle, options: MeasureOptions): Promise<MeasuredVideo> {
  const { maxVideoSeconds, ...context } = options;
  const firstBytes = await readFirstBytes(file);
  const { size } = await file.stat();
  // Matroska may omit the bytes that all packets start with, usually a few, and may compress captions.
  const maxPacketBytes = 1.5 * size + 1_000_000;
  const scanned = await measureLength(path, file, { maxVideoSeconds, maxPacketBytes, ...context });
  const { header, boxes, length } = scanned;
  const container = nameContainer(header.format, header.brand, firstBytes);
  if (!container) throw mediaUnreadable("The file holds an image, not a video.");
  rejectEncrypted(header, boxes);
  const timed = timedStreams(header);
  const pictures = timed.filter((stream) => stream.kind === "video" && stream.codec !== null);
  if (pictures.length === 0) throw mediaUnreadable(reasonForNoPicture(header));

  const picture = findMovingPicture(pictures, length);
  // A scan that stopped early has not seen enough for these checks.
  const isComplete = !length.isLowerBound;
  if (isComplete) rejectTooManyPictures(picture, length);
  if (isComplete) await rejectOverfullSound(file, scanned);
  const wanted = isComplete ? Math.min(3, length.stream(picture.index).packets) : 2;
  if ((await decodeFirstFrames(path, picture.index, { wanted, ...context })) < 2)
    throw mediaUnreadable("The first pictures of the video cannot be decoded.");
  if (isComplete && (await endsEarly(file, header, boxes, length)))
    throw mediaUnreadable("The file ends before its declared end, as a broken upload does.");
  rejectTooLong(length, maxVideoSeconds);
  return describe({ container, timed, picture, length, size });
}

async function readFirstBytes(file: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(bytesToName), 0, bytesToName, 0);
  if (bytesRead === 0) throw mediaUnreadable("The file is empty.");
  const firstBytes = buffer.subarray(0, bytesRead);
  const other = nameNonVideo(firstBytes);
  if (other) throw mediaUnreadable(`The file is ${other}, which the service does not read as a video.`);
  return firstBytes;
}

function rejectEncrypted(header: Header, boxes: Mp4Facts | null): void {
  if (boxes?.encrypted || header.streams.some((stream) => stream.encrypted))
    throw mediaUnreadable("The video is encrypted.");
}

function reasonForNoPicture(header: Header): string {
  if (header.streams.some((stream) => stream.kind === "video" && !stream.still))
    return "The file's pictures have an unknown format.";
  if (header.streams.some((stream) => stream.kind === "audio")) return "The file holds sound, but no moving picture.";
  return "The file holds no moving picture.";
}

function findMovingPicture(pictures: readonly HeaderStream[], length: Length): HeaderStream {
  const moving = pictures.find((stream) => length.stream(stream.index).packets > 1);
  // A scan that stopped early may have seen one picture only. The second may come a day later.
  const picture = moving ?? (length.isLowerBound ? pictures[0] : undefined);
  if (!picture && pictures.some((stream) => length.unedited.stream(stream.index).packets > 1))
    throw mediaUnreadable("An edit list of the file hides all of its pictures.");
  if (!picture) throw mediaUnreadable("The file holds a single picture, not a moving one.");
  return picture;
}

function rejectTooManyPictures(picture: HeaderStream, length: Length): void {
  const { packets, seconds } = length.stream(picture.index);
  if (packets > seconds * maxPicturesPerSecond) throw tooManyPictures();
}

/** Time stamps say when a packet is due, but a decoder plays everything that the packet contains. */
async function rejectOverfullSound(file: FileHandle, { header, length: { unedited } }: ScannedFile): Promise<void> {
  const maxSeconds = maxSoundSeconds(unedited.seconds);
  for (const stream of timedStreams(header)) {
    const { index, codec, samplesPerSecond } = stream;
    const positions = unedited.soundAt.get(index) ?? [];
    const played = await sumSoundHeads(file, codec ?? "", positions, { samplesPerSecond, maxSeconds });
    if (Math.max(played, minSoundSeconds(header, stream, unedited.stream(index))) > maxSeconds)
      throw mediaUnreadable("The file holds more sound than its time stamps allow.");
  }
}

function rejectTooLong({ seconds, isLowerBound }: Length, maxVideoSeconds: number): void {
  if (roundedSeconds(Math.round(seconds * 1000)) <= maxVideoSeconds) return;
  throw new VideoTooLong({ seconds, exact: !isLowerBound, maxSeconds: maxVideoSeconds });
}

type Parts = {
  container: Container;
  timed: readonly HeaderStream[];
  picture: HeaderStream;
  length: Length;
  size: number;
};

function describe({ container, timed, picture, length, size }: Parts): MeasuredVideo {
  // A transport stream may declare sound that never comes.
  const comes = ({ index }: HeaderStream) => length.isLowerBound || length.stream(index).packets > 0;
  const known = timed.filter((stream) => stream.codec !== null && comes(stream));
  const sound = known.find((stream) => stream.kind === "audio");
  const chosen = [picture, ...(sound ? [sound] : [])].map((stream) => stream.index);
  const others = known.map((stream) => stream.index);
  const copyStreams = streamsForCopy(chosen, others, length.total);
  const pictures = known.filter(({ index, kind }) => kind === "video" && copyStreams.includes(index));
  const pixels = pictures.map(({ index, width, height }) => width * height * length.stream(index).packets);
  return {
    durationMs: Math.round(length.seconds * 1000),
    ...container,
    videoCodec: picture.codec ?? "",
    audioCodec: sound?.codec ?? null,
    width: picture.width,
    height: picture.height,
    timedStreams: timed.map((stream) => stream.index),
    copyStreams,
    uncounted: length.uncounted,
    edited: length.isEdited,
    late: startsLate(length),
    // Transport streams of a constant bit rate are up to half empty, and a container adds some bytes to each packet.
    padded: size > 2 * length.packetBytes + 2_000_000,
    packetBytes: length.packetBytes,
    pixels: pixels.reduce((sum, count) => sum + count, 0),
  };
}

/**
 * Decodes the first frames that a video stream shows. Only decoding shows that the bytes under a valid header are neither
 * encrypted nor random.
 *
 * @param stream index of the stream.
 * @param options `wanted`: the number of frames to decode.
 * @returns the number of decoded frames.
 * @throws `FfmpegFailure`.
 */
async function decodeFirstFrames(
  path: string,
  stream: number,
  { wanted, ...context }: RunContext & { wanted: number },
): Promise<number> {
  const { stdout } = await runFfmpeg(
    {
      input: path,
      inputOptions: ["-v", "error", "-threads", "1", "-filter_threads", "1"],
      outputOptions: [
        ...["-map", `0:${stream}`, "-frames:v", String(wanted)],
        // One line of checksums for each complete frame.
        ...["-fps_mode", "passthrough", "-threads", "1", "-f", "framecrc"],
      ],
      output: "-",
    },
    { timeoutMs: 60_000, maxCpuSeconds: 30, ...context, maxStdoutBytes: 64 * 1024 },
  );
  const lines = stdout.toString("latin1").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).length;
}

/**
 * Returns the streams that a copy needs to be as long as the video: the chosen ones first, in order, then each of the
 * others that makes the copy longer.
 */
function streamsForCopy(chosen: readonly number[], others: readonly number[], total: Timeline["total"]): number[] {
  const taken = [...chosen];
  for (const stream of others) {
    if (taken.includes(stream)) continue;
    if (total([...taken, stream]) - total(taken) > minGainSeconds) taken.push(stream);
  }
  return taken;
}

/** The streams of a video rarely end at the same moment. Smaller differences do not matter, even several of them. */
const minGainSeconds = 0.2;
