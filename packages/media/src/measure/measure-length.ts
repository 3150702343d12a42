import type { RunContext } from "../ffmpeg/confinement.ts";
import type { Header } from "./read-header.ts";
import { type Scan, scanPackets } from "./scan-packets.ts";

/** The length of a file according to its packets, in seconds. */
export type Length = {
  /** Sound and pictures together: the billed length. */
  seconds: number;
  /**
   * How far any stream reaches, captions and data included, with or without edit lists; counted from `startSeconds`.
   */
  reachedSeconds: number;
  /** The time stamp of the first packet; 0 if the clock restarts. */
  startSeconds: number;
  /** The scan stopped because the video was too long, so all lengths are lower bounds. */
  isLowerBound: boolean;
  /** Returns the packets and the length of a stream. */
  stream: Scan["timeline"]["stream"];
  /** Returns the length of several streams together. */
  total: Scan["timeline"]["total"];
  /** The same without edit lists. */
  unedited: { seconds: number; stream: Scan["timeline"]["stream"] };
  /** The file holds sound or moving pictures that are not part of `seconds`. */
  uncounted: boolean;
};

type LengthOptions = RunContext & {
  maxVideoSeconds: number;
  /** The largest sum of all packets, in bytes. Packets that an edit list repeats count once. */
  maxPacketBytes: number;
};

/**
 * Measures a file by its packets. A file of the MP4 family is scanned twice, with and without its edit list: if the
 * edit list hides more than two seconds, the length without it counts.
 *
 * @param timed indexes of the sound and moving pictures.
 * @throws `FfmpegFailure`; Problem `media_unreadable` if there are far too many packets or they are far too large.
 */
export async function measureLength(
  path: string,
  header: Header,
  timed: readonly number[],
  { maxVideoSeconds, maxPacketBytes, confinement, signal }: LengthOptions,
): Promise<Length> {
  const over = new AbortController();
  const scanOptions = {
    watched: timed,
    pictures: header.streams.filter((s) => s.kind === "video" && timed.includes(s.index)).map((s) => s.index),
    maxSeconds: maxVideoSeconds + marginSeconds,
    broadcast: header.format.startsWith("mpeg"),
    confinement,
    signal: AbortSignal.any([over.signal, ...(signal ? [signal] : [])]),
  };
  const isMov = header.format.startsWith("mov");
  const all = header.streams.map((stream) => stream.index);
  const lengthOf = ({ timeline, endedEarly, media, streamCount }: Scan): Length => ({
    seconds: timeline.total(timed),
    reachedSeconds: timeline.total(all),
    startSeconds: timeline.start(all),
    isLowerBound: endedEarly,
    stream: timeline.stream,
    total: timeline.total,
    unedited: { seconds: timeline.total(timed), stream: timeline.stream },
    // A stream of one packet is a cover image.
    uncounted:
      streamCount > all.length || media.some((index) => !timed.includes(index) && timeline.stream(index).packets > 1),
  });
  // Both run at once. If one fails, the other is aborted.
  const scans = [
    scanPackets(path, isMov ? scanOptions : { ...scanOptions, maxPacketBytes }).then(lengthOf),
    isMov ? scanPackets(path, { ...scanOptions, maxPacketBytes, unedited: true }).then(lengthOf) : undefined,
  ] as const;
  const [edited, unedited] = await Promise.all(scans).finally(() => {
    over.abort();
    return Promise.allSettled(scans);
  });
  if (edited.isLowerBound || !unedited) return edited;
  return {
    ...(unedited.seconds > edited.seconds + editListSeconds ? unedited : edited),
    reachedSeconds: Math.max(edited.reachedSeconds, unedited.reachedSeconds),
    startSeconds: edited.startSeconds,
    unedited: unedited.unedited,
    uncounted: unedited.uncounted,
  };
}

/** An edit list is ignored if it hides more than this. */
export const editListSeconds = 2;
/** How far beyond the limit a scan goes, so that its result is clearly above the limit. */
const marginSeconds = 5.5;
