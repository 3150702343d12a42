import type { Problem } from "@video-to-json/contract";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfprobe } from "../ffmpeg/run-ffprobe.ts";
import { mediaUnreadable } from "./media-unreadable.ts";
import { createTimeline, type Packet, type Timeline } from "./timeline.ts";

type ScanOptions = RunContext & {
  /** Indexes of the streams whose length can end the scan. */
  watched: readonly number[];
  /** Those of them that are pictures. Each may have at most `maxPicturesPerSecond` for `maxSeconds`. */
  pictures: readonly number[];
  /** The scan ends as soon as a watched stream is longer than this. */
  maxSeconds: number;
  broadcast: boolean;
  /** The largest sum of all packets, in bytes. Unlimited by default. */
  maxPacketBytes?: number | undefined;
  /** Read a file of the MP4 family without its edit lists and without a track for its chapters. */
  unedited?: boolean;
};

/** The result of a scan. If `endedEarly`, it stopped at `maxSeconds` and the lengths are lower bounds. */
export type Scan = {
  timeline: Timeline;
  endedEarly: boolean;
  /** Indexes of the streams that are sound or pictures. */
  media: readonly number[];
  /** The number of streams at the end of the scan: some containers may add one anywhere. */
  streamCount: number;
};

/**
 * Reads all packets of a file without decoding them.
 *
 * @throws `FfmpegFailure`; Problem `media_unreadable` if there are far too many packets or they are far too large.
 */
export async function scanPackets(path: string, options: ScanOptions): Promise<Scan> {
  const timeline = createTimeline(options);
  const watched = new Set(options.watched);
  const checkPacket = createPacketCheck(options);
  const media = new Set<number>();
  let streamCount = 0;
  let rest = "";
  let endedEarly = false;

  function readStreamOrFormat(line: string): void {
    const [name, first, kind] = line.split("|");
    if (name === "stream" && (kind === "video" || kind === "audio")) media.add(Number(first));
    if (name === "format") streamCount = Number(first);
  }

  function onStdout(chunk: Buffer): boolean {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const packet = parsePacket(line);
      if (!packet) {
        readStreamOrFormat(line);
        continue;
      }
      checkPacket(packet);
      timeline.add(packet);
      if (!watched.has(packet.stream) || timeline.stream(packet.stream).seconds <= options.maxSeconds) continue;
      endedEarly = true;
      return true;
    }
    return false;
  }

  const input = options.unedited ? ["-ignore_editlist", "1", "-ignore_chapters", "1"] : [];
  const { confinement, signal } = options;
  const limits = { timeoutMs: 120_000, maxCpuSeconds: 30, confinement, signal, onStdout };
  await runFfprobe(path, [...output, ...input], limits);
  return { timeline, endedEarly, media: [...media], streamCount };
}

/** A stream with more pictures a second is not a video that anyone recorded. */
export const maxPicturesPerSecond = 300;

/** Returns the Problem of a video with more of them. */
export function tooManyPictures(): Problem {
  return mediaUnreadable(`The video shows more than ${maxPicturesPerSecond} pictures a second.`);
}

const maxPackets = 3_000_000;

/** Returns a function that throws `media_unreadable` once there are too many packets, bytes or pictures. */
function createPacketCheck({ pictures, maxSeconds, maxPacketBytes }: ScanOptions): (packet: Packet) => void {
  const picturesLeft = new Map(pictures.map((stream) => [stream, maxPicturesPerSecond * maxSeconds]));
  let packets = 0;
  let bytes = 0;
  return (packet) => {
    packets += 1;
    if (packets > maxPackets) throw mediaUnreadable("The file holds too many packets for a video of its length.");
    bytes += packet.bytes;
    if (maxPacketBytes !== undefined && bytes > maxPacketBytes)
      throw mediaUnreadable("The file's packets are far larger once unpacked than the file itself.");
    const left = picturesLeft.get(packet.stream) ?? Number.POSITIVE_INFINITY;
    if (left <= 0) throw tooManyPictures();
    picturesLeft.set(packet.stream, left - 1);
  };
}

const output = [
  ...["-v", "fatal", "-of", "compact=nokey=1", "-show_entries"],
  "packet=stream_index,pts_time,dts_time,duration_time,size,flags:stream=index,codec_type:format=nb_streams",
];

/** Parses `packet|0|1.000000|0.960000|0.040000|1370|K_`. Ignores everything after another bar. */
function parsePacket(line: string): Packet | undefined {
  const [name, stream, pts, dts, duration, bytes, flags] = line.split("|");
  if (name !== "packet" || flags === undefined) return undefined;
  return {
    stream: Number(stream),
    pts: seconds(pts),
    dts: seconds(dts),
    duration: seconds(duration),
    bytes: Number(bytes),
    discarded: flags.includes("D"),
  };
}

function seconds(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
