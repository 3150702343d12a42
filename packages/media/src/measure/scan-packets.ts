import type { Problem } from "@video-to-json/contract";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfprobe } from "../ffmpeg/run-ffmpeg.ts";
import { mediaUnreadable } from "./media-problems.ts";
import { type Header, headerEntries, parseHeader } from "./read-header.ts";
import { createTimeline, type Packet, type Timeline } from "./timeline.ts";

type ScanOptions = RunContext & {
  /**
   * The scan ends as soon as a sound or picture stream is longer than this. A picture stream may have at most
   * `maxPicturesPerSecond` for this time.
   */
  maxSeconds: number;
  /** Indexes of streams without this limit, because their pictures do not move. */
  still?: readonly number[];
  broadcast: boolean;
  /** The largest sum of all packets, in bytes. Unlimited by default. */
  maxPacketBytes?: number | undefined;
  /** Read a file of the MP4 family without its edit lists and without a track for its chapters. */
  unedited?: boolean;
  /** Keep `soundAt`. The positions are exact in files of the MP4 family only. */
  keepSoundAt?: boolean;
};

/** The result of a scan. If `endedBy` is a stream, the scan stopped at `maxSeconds` and the lengths are lower bounds. */
export type Scan = {
  timeline: Timeline;
  endedBy: number | null;
  /** Null if the scan stopped early, because ffprobe prints it last. */
  header: Header | null;
  /** The number of streams at the end of the scan: some containers may add one anywhere. */
  streamCount: number;
  /** The sum of all packets, in bytes. */
  packetBytes: number;
  /** Where the packets of each sound stream begin in the file. Empty without `keepSoundAt`. */
  soundAt: ReadonlyMap<number, readonly number[]>;
};

/**
 * Reads all packets of a file without decoding them, and its header.
 *
 * @throws `FfmpegFailure`; Problem `media_unreadable` if there are far too many packets or they are far too large.
 */
export async function scanPackets(path: string, options: ScanOptions): Promise<Scan> {
  const timeline = createTimeline(options);
  const still = new Set(options.still);
  const check = createPacketCheck(options, still);
  const soundAt = new Map<number, number[]>();
  const headerLines: string[] = [];
  let rest = "";
  let endedBy: number | null = null;

  function onStdout(chunk: Buffer): boolean {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const packet = parsePacket(line);
      if (!packet) {
        headerLines.push(line);
        continue;
      }
      check.add(packet);
      timeline.add(packet);
      if (options.keepSoundAt && packet.kind === "audio") append(soundAt, packet.stream, packet.position);
      const isWatched = packet.kind !== "other" && !still.has(packet.stream);
      if (!isWatched || timeline.stream(packet.stream).seconds <= options.maxSeconds) continue;
      endedBy = packet.stream;
      return true;
    }
    return false;
  }

  const input = options.unedited ? ["-ignore_editlist", "1", "-ignore_chapters", "1"] : [];
  const { confinement, signal } = options;
  const limits = { timeoutMs: 120_000, maxCpuSeconds: 30, confinement, signal, onStdout };
  const { stderr } = await runFfprobe(path, [...output, ...input], limits);
  const header = endedBy === null ? parseHeader(headerLines, stderr) : null;
  return { timeline, endedBy, header, streamCount: streamCountOf(headerLines), packetBytes: check.bytes(), soundAt };
}

/** A stream with more pictures a second is not a real recording. */
export const maxPicturesPerSecond = 300;

/** Returns the Problem of a video with too many pictures a second. */
export function tooManyPictures(): Problem {
  return mediaUnreadable(`The video shows more than ${maxPicturesPerSecond} pictures a second.`);
}

const maxPackets = 3_000_000;

type PacketCheck = { add(packet: ScannedPacket): void; bytes(): number };

/** Returns a check that throws `media_unreadable` once there are too many packets, bytes or pictures. */
function createPacketCheck({ maxSeconds, maxPacketBytes }: ScanOptions, still: ReadonlySet<number>): PacketCheck {
  const pictures = new Map<number, number>();
  let packets = 0;
  let bytes = 0;
  return {
    bytes: () => bytes,
    add({ stream, kind, bytes: size }) {
      packets += 1;
      if (packets > maxPackets) throw mediaUnreadable("The file holds too many packets for a video of its length.");
      bytes += size;
      if (maxPacketBytes !== undefined && bytes > maxPacketBytes)
        throw mediaUnreadable("The file's packets are far larger once unpacked than the file itself.");
      if (kind !== "video" || still.has(stream)) return;
      const count = (pictures.get(stream) ?? 0) + 1;
      if (count > maxPicturesPerSecond * maxSeconds) throw tooManyPictures();
      pictures.set(stream, count);
    },
  };
}

const output = [
  ...["-v", "warning", "-of", "compact", "-show_entries"],
  `packet=codec_type,stream_index,pts_time,dts_time,duration_time,size,pos,flags:${headerEntries}`,
];

type ScannedPacket = Packet & { kind: "video" | "audio" | "other"; position: number };

/**
 * Parses `packet|codec_type=video|stream_index=0|pts_time=1.000000|dts_time=0.960000|duration_time=0.040000|size=1370|
 * pos=48|flags=K_`. Ignores everything after another bar.
 */
function parsePacket(line: string): ScannedPacket | undefined {
  if (!line.startsWith("packet|")) return undefined;
  const [, kind, stream, pts, dts, duration, bytes, position, flags] = line.split("|").map(textAfterEquals);
  if (flags === undefined) return undefined;
  return {
    kind: kind === "video" || kind === "audio" ? kind : "other",
    stream: Number(stream),
    pts: seconds(pts),
    dts: seconds(dts),
    duration: seconds(duration),
    bytes: Number(bytes),
    position: Number(position),
    discarded: flags.includes("D"),
  };
}

function append(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else list.push(value);
}

function textAfterEquals(field: string): string {
  return field.slice(field.indexOf("=") + 1);
}

function seconds(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

function streamCountOf(lines: readonly string[]): number {
  const format = lines.find((line) => line.startsWith("format|")) ?? "";
  return Number(/\bnb_streams=(\d+)/.exec(format)?.[1] ?? 0);
}
