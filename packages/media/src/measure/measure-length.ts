import type { Header } from "./read-header.ts";
import { type Scan, scanPackets } from "./scan-packets.ts";

/** The length of a file by its packets, in seconds. */
export type Length = {
  /** Sound and picture together: what is billed. */
  seconds: number;
  /** How far any stream goes, captions and data too, edit lists or not: counted from `startSeconds`. */
  reachedSeconds: number;
  /** What the clock shows at the first packet, 0 where it is set anew on the way. */
  startSeconds: number;
  /** The scan was stopped once the video was too long: all lengths are lower bounds. */
  atLeast: boolean;
  /** How many packets a stream has, and how long it runs. */
  stream: Scan["timeline"]["stream"];
  /** How long streams last together. */
  total: Scan["timeline"]["total"];
  /** The same without edit lists. */
  unedited: { seconds: number; stream: Scan["timeline"]["stream"] };
  /** The file holds sound or moving pictures that were not to be counted. */
  uncounted: boolean;
};

type LengthOptions = {
  maxVideoSeconds: number;
  /** All packets together may be no larger, each counted once whatever an edit list repeats. */
  mostBytes: number;
  signal?: AbortSignal | undefined;
};

/**
 * Measures a file by walking its packets; `timed` are the indexes of its sound and moving pictures. A file of the MP4
 * family is walked twice, as its edit list shows it and as it is: where the edit list hides more than two seconds, what
 * is there counts. Throws `FfmpegFailure`, or a Problem where there are far too many packets or they are far too large.
 */
export async function measureLength(
  path: string,
  header: Header,
  timed: readonly number[],
  options: LengthOptions,
): Promise<Length> {
  const over = new AbortController();
  const scanOptions = {
    watched: timed,
    pictures: header.streams.filter((s) => s.kind === "video" && timed.includes(s.index)).map((s) => s.index),
    enoughSeconds: options.maxVideoSeconds + slackSeconds,
    broadcast: header.format.startsWith("mpeg"),
    signal: AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]),
  };
  const isMov = header.format.startsWith("mov");
  const { mostBytes } = options;
  const all = header.streams.map((stream) => stream.index);
  const lengthOf = ({ timeline, endedEarly, media, streamCount }: Scan): Length => ({
    seconds: timeline.total(timed),
    reachedSeconds: timeline.total(all),
    startSeconds: timeline.start(all),
    atLeast: endedEarly,
    stream: timeline.stream,
    total: timeline.total,
    unedited: { seconds: timeline.total(timed), stream: timeline.stream },
    // A stream of one packet is a cover.
    uncounted:
      streamCount > all.length || media.some((index) => !timed.includes(index) && timeline.stream(index).packets > 1),
  });
  // Both at once; when one fails the other is ended too.
  const scans = [
    scanPackets(path, isMov ? scanOptions : { ...scanOptions, mostBytes }).then(lengthOf),
    isMov ? scanPackets(path, { ...scanOptions, mostBytes, unedited: true }).then(lengthOf) : undefined,
  ] as const;
  const [shown, held] = await Promise.all(scans).finally(() => {
    over.abort();
    return Promise.allSettled(scans);
  });
  if (shown.atLeast || !held) return shown;
  const reachedSeconds = Math.max(shown.reachedSeconds, held.reachedSeconds);
  const counted = held.seconds > shown.seconds + editListSeconds ? held : shown;
  const { unedited, uncounted } = held;
  return { ...counted, reachedSeconds, startSeconds: shown.startSeconds, unedited, uncounted };
}

/** An edit list that shows less than the file holds, by more than this, is not believed. */
export const editListSeconds = 2;
/** How far past the limit a scan goes before it is stopped: enough for one figure to be clearly over. */
const slackSeconds = 5.5;
