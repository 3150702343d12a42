import type { Header } from "./read-header.ts";
import { type Scan, scanPackets } from "./scan-packets.ts";

/** The length of a file by its packets, in seconds. */
export type Length = {
  /** Sound and picture together: what is billed. */
  seconds: number;
  /** How far any stream goes, captions and data too, edit lists or not. */
  reachedSeconds: number;
  /** The scan was stopped once the video was too long: all lengths are lower bounds. */
  atLeast: boolean;
  /** How many packets a stream has, and how long it runs. */
  stream: Scan["timeline"]["stream"];
  /** How long streams last together. */
  total: Scan["timeline"]["total"];
};

type LengthOptions = { maxVideoSeconds: number; signal?: AbortSignal | undefined };

/**
 * Measures a file by walking its packets; `timed` are the indexes of its sound and moving pictures. A file of the MP4
 * family is walked twice, as its edit list shows it and as it is: where the edit list hides more than two seconds, what
 * is there counts. Throws `FfmpegFailure`.
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
    enoughSeconds: options.maxVideoSeconds + slackSeconds,
    broadcast: header.format.startsWith("mpeg"),
    signal: AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])]),
  };
  const lengthOf = ({ timeline, endedEarly }: Scan): Length => ({
    seconds: timeline.total(timed),
    reachedSeconds: timeline.total(header.streams.map((stream) => stream.index)),
    atLeast: endedEarly,
    stream: timeline.stream,
    total: timeline.total,
  });
  const isMov = header.format.startsWith("mov");
  // Both at once; when one fails the other is ended too.
  const [shown, held] = await Promise.all([
    scanPackets(path, scanOptions).then(lengthOf),
    isMov ? scanPackets(path, { ...scanOptions, ignoreEditList: true }).then(lengthOf) : undefined,
  ]).finally(() => over.abort());
  if (shown.atLeast || !held) return shown;
  const reachedSeconds = Math.max(shown.reachedSeconds, held.reachedSeconds);
  return { ...(held.seconds > shown.seconds + editListSeconds ? held : shown), reachedSeconds };
}

/** An edit list that shows less than the file holds, by more than this, is not believed. */
export const editListSeconds = 2;
/** How far past the limit a scan goes before it is stopped: enough for one figure to be clearly over. */
const slackSeconds = 5.5;
