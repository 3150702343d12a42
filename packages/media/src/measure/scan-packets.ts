import type { Problem } from "@video-to-json/contract";
import { runFfprobe } from "../ffmpeg/run-ffprobe.ts";
import { createTimeline, type Packet, type Timeline } from "./timeline.ts";
import { unreadable } from "./unreadable.ts";

type ScanOptions = {
  /** Streams whose length can end the scan. */
  watched: readonly number[];
  /** Those of them that are pictures: none may have more packets than so many seconds can show. */
  pictures: readonly number[];
  /** The scan is ended as soon as a watched stream is longer than this. */
  enoughSeconds: number;
  broadcast: boolean;
  /** All packets together may be no larger; any size unless told. */
  mostBytes?: number | undefined;
  /** Take a file of the MP4 family as it is: without its edit lists, and no track for what marks its chapters. */
  unedited?: boolean;
  signal?: AbortSignal | undefined;
};

/** What a scan saw; `endedEarly` when it stopped at `enoughSeconds`, so that the lengths are lower bounds. */
export type Scan = {
  timeline: Timeline;
  endedEarly: boolean;
  /** Indexes of the streams that are sound or pictures. */
  media: readonly number[];
  /** How many streams there were at the end: some containers may begin one anywhere. */
  streamCount: number;
};

/** Walks every packet of a file, decoding nothing. Throws `FfmpegFailure`, or a Problem where there are far too many. */
export async function scanPackets(path: string, options: ScanOptions): Promise<Scan> {
  const timeline = createTimeline(options);
  const watched = new Set(options.watched);
  const left = new Map(options.pictures.map((index) => [index, mostPicturesPerSecond * options.enoughSeconds]));
  const media = new Set<number>();
  let streamCount = 0;
  let packets = 0;
  let bytes = 0;
  let rest = "";
  let endedEarly = false;
  const onStdout = (chunk: Buffer) => {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const packet = parsePacket(line);
      if (!packet) {
        const [name, first, kind] = line.split("|");
        if (name === "stream" && (kind === "video" || kind === "audio")) media.add(Number(first));
        if (name === "format") streamCount = Number(first);
        continue;
      }
      packets += 1;
      if (packets > mostPackets) throw unreadable("The file holds too many packets for a video of its length.");
      bytes += packet.bytes;
      if (options.mostBytes !== undefined && bytes > options.mostBytes)
        throw unreadable("The file's packets are far larger once unpacked than the file itself.");
      const pictures = left.get(packet.stream) ?? Number.POSITIVE_INFINITY;
      if (pictures <= 0) throw tooManyPictures();
      left.set(packet.stream, pictures - 1);
      timeline.add(packet);
      if (!watched.has(packet.stream) || timeline.stream(packet.stream).seconds <= options.enoughSeconds) continue;
      endedEarly = true;
      return true;
    }
    return false;
  };
  const input = options.unedited ? ["-ignore_editlist", "1", "-ignore_chapters", "1"] : [];
  const limits = { timeoutMs: 120_000, maxCpuSeconds: 30, signal: options.signal, onStdout };
  await runFfprobe(path, [...output, ...input], limits);
  return { timeline, endedEarly, media: [...media], streamCount };
}

/** More pictures a second than this are no video that anyone made. */
export const mostPicturesPerSecond = 300;

/** The refusal of a video with more of them. */
export function tooManyPictures(): Problem {
  return unreadable(`The video shows more than ${mostPicturesPerSecond} pictures a second.`);
}

const mostPackets = 3_000_000;

const output = [
  ...["-v", "fatal", "-of", "compact=nokey=1", "-show_entries"],
  "packet=stream_index,pts_time,dts_time,duration_time,size,flags:stream=index,codec_type:format=nb_streams",
];

/** Reads `packet|0|1.000000|0.960000|0.040000|1370|K_`, with anything after a further bar ignored. */
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
