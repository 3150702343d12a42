import type { FileHandle } from "node:fs/promises";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { type Family, familyOfFormat, guessFamily } from "./container.ts";
import { type Mp4Facts, readMp4Facts } from "./mp4-boxes.ts";
import { type Header, type HeaderStream, readHeader } from "./read-header.ts";
import { type Scan, scanPackets } from "./scan-packets.ts";

/** The length of a file according to its packets, in seconds. */
export type Length = {
  /** The length of sound and pictures together: the billed length. */
  seconds: number;
  /**
   * How far any stream reaches, including captions and data, with or without edit lists; counted from `startSeconds`.
   */
  reachedSeconds: number;
  /** The time stamp of the first packet; 0 if the clock restarts. */
  startSeconds: number;
  /** The time stamp of the first packet of sound or pictures. */
  mediaStartSeconds: number;
  /** The scan stopped because the video was too long, so all lengths are lower bounds. */
  isLowerBound: boolean;
  /** Returns the packets and the length of a stream. */
  stream: Scan["timeline"]["stream"];
  /** Returns the length of several streams together. */
  total: Scan["timeline"]["total"];
  /** The same without edit lists. */
  unedited: { seconds: number; stream: Scan["timeline"]["stream"]; soundAt: Scan["soundAt"] };
  /** The edit lists show another part of the file than its packets hold. The length is that of the shown part. */
  isEdited: boolean;
  /** The file holds sound or moving pictures that are not part of `seconds`. */
  uncounted: boolean;
  /** The sum of all packets, in bytes. */
  packetBytes: number;
};

/** The result of reading a whole file once. `boxes` is null except for files of the MP4 family. */
export type ScannedFile = { header: Header; boxes: Mp4Facts | null; length: Length };

type LengthOptions = RunContext & {
  maxVideoSeconds: number;
  /** The largest sum of all packets, in bytes. It includes packets that an edit list repeats once. */
  maxPacketBytes: number;
};

/**
 * Reads the header of a file and measures it by its packets, in one run of ffprobe. A file of the MP4 family whose edit
 * lists may hide something is read a second time, without them, to see whether a player shows another part of it.
 *
 * @throws `FfmpegFailure`; Problem `media_unreadable` if there are far too many packets or they are far too large.
 */
export async function measureLength(path: string, file: FileHandle, options: LengthOptions): Promise<ScannedFile> {
  const guess = await guessFamily(file);
  const scanned = await scanAs(guess, path, file, options);
  const family = familyOfFormat(scanned.header.format);
  // If the first bytes misled, the header shows how to read the file.
  return family === guess ? scanned : await scanAs(family, path, file, options);
}

/** Stops before the second scan if the file is of another family. */
async function scanAs(
  family: Family,
  path: string,
  file: FileHandle,
  { maxVideoSeconds, maxPacketBytes, confinement, signal }: LengthOptions,
): Promise<ScannedFile> {
  const boxes = family === "mov" ? await readMp4Facts(file) : null;
  const rescan = boxes?.mayHide ?? false;
  const options = {
    maxSeconds: maxVideoSeconds + marginSeconds,
    broadcast: family === "mpeg",
    keepSoundAt: family === "mov",
    // An edit list may repeat packets.
    maxPacketBytes: rescan ? undefined : maxPacketBytes,
    confinement,
    signal,
  };
  let scan = await scanPackets(path, options);
  const header = scan.header ?? (await readHeader(path, { confinement, signal }));
  const still = header.streams.filter((stream) => stream.still).map((stream) => stream.index);
  if (scan.endedBy !== null && still.includes(scan.endedBy)) scan = await scanPackets(path, { ...options, still });
  const edited = lengthOf(scan, header);
  if (!rescan || edited.isLowerBound || familyOfFormat(header.format) !== family)
    return { header, boxes, length: edited };
  const again = await scanPackets(path, { ...options, still, maxPacketBytes, unedited: true });
  return { header, boxes, length: withEdits(edited, lengthOf(again, header), header) };
}

function lengthOf(
  { timeline, endedBy, header: seen, streamCount, packetBytes, soundAt }: Scan,
  header: Header,
): Length {
  const timed = timedStreams(header).map((stream) => stream.index);
  const all = header.streams.map((stream) => stream.index);
  const media = (seen?.streams ?? []).filter((stream) => stream.kind !== "other").map((stream) => stream.index);
  return {
    seconds: timeline.total(timed),
    reachedSeconds: timeline.total(all),
    startSeconds: timeline.start(all),
    mediaStartSeconds: timeline.start(timed),
    isLowerBound: endedBy !== null,
    stream: timeline.stream,
    total: timeline.total,
    unedited: { seconds: timeline.total(timed), stream: timeline.stream, soundAt },
    isEdited: false,
    // A stream of one packet is a cover image.
    uncounted:
      streamCount > all.length || media.some((index) => !timed.includes(index) && timeline.stream(index).packets > 1),
    packetBytes,
  };
}

function withEdits(edited: Length, unedited: Length, header: Header): Length {
  const differs = timedStreams(header).some(({ index }) => {
    const [shown, held] = [edited.stream(index).summedSeconds, unedited.stream(index).summedSeconds];
    return Math.abs(held - shown) > maxHiddenSeconds;
  });
  return {
    ...edited,
    reachedSeconds: Math.max(edited.reachedSeconds, unedited.reachedSeconds),
    unedited: unedited.unedited,
    isEdited: differs || Math.abs(unedited.seconds - edited.seconds) > maxHiddenSeconds,
    uncounted: unedited.uncounted,
    packetBytes: unedited.packetBytes,
  };
}

/** Returns the sound and the moving pictures, which count for the length. */
export function timedStreams({ streams }: Header): HeaderStream[] {
  return streams.filter((stream) => stream.kind !== "other" && !stream.still);
}

/** Returns whether players show nothing for a while before the sound and the pictures begin. */
export function startsLate({ mediaStartSeconds }: Length): boolean {
  return mediaStartSeconds > maxBlankSeconds;
}

/** Transport streams usually start 1.4 s after zero. */
const maxBlankSeconds = 2;
/** An edit list that hides more than this changes what the video shows. */
const maxHiddenSeconds = 0.5;
/** How far beyond the limit a scan continues, so that its result is clearly above the limit. */
const marginSeconds = 5.5;
