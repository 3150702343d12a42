import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfprobe } from "../ffmpeg/run-ffmpeg.ts";

/** One stream as the file's header describes it. */
export type HeaderStream = {
  index: number;
  kind: "video" | "audio" | "other";
  /** ffmpeg's name of the codec; null if ffmpeg does not know it. */
  codec: string | null;
  /** ffmpeg's name of the codec's profile, such as `LC`; empty if it has none. */
  profile: string;
  width: number;
  height: number;
  /** For sound; 0 otherwise. */
  samplesPerSecond: number;
  channels: number;
  /** For uncompressed sound; 0 otherwise. */
  bitsPerSample: number;
  /** Cover art, a still image or chapter thumbnails: a picture that does not move. */
  still: boolean;
  /** The declared length in seconds; null if the container declares none. */
  declaredSeconds: number | null;
  encrypted: boolean;
};

/** What a file declares about itself. It may be wrong. */
export type Header = {
  /** ffmpeg's name of the container family, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string;
  /** The four characters that name the kind of a file of the MP4 family; null for other files. */
  brand: string | null;
  declaredSeconds: number | null;
  streams: HeaderStream[];
};

/** Reads a file's header and the start of its streams with ffprobe. Throws `FfmpegFailure`. */
export async function readHeader(path: string, context: RunContext): Promise<Header> {
  const options = ["-v", "warning", "-of", "compact", "-show_entries", headerEntries];
  const { stdout, stderr } = await runFfprobe(path, options, { timeoutMs: 60_000, maxCpuSeconds: 10, ...context });
  return parseHeader(stdout.toString("utf8").split("\n"), stderr);
}

/** The argument of ffprobe's `-show_entries`. */
export const headerEntries =
  "stream=index,codec_type,codec_name,profile,width,height,sample_rate,channels,bits_per_sample,duration" +
  ":stream_disposition=attached_pic,still_image,timed_thumbnails:stream_tags=enc_key_id" +
  ":format=format_name,duration,nb_streams:format_tags=major_brand";

/**
 * Parses lines such as `stream|index=0|codec_name=h264`. Ignores lines of other sections.
 *
 * @param stderr ffprobe's warnings: without a declared length, ffmpeg may estimate one from the bit rate.
 */
export function parseHeader(lines: readonly string[], stderr: string): Header {
  const guessed = stderr.includes("Estimating duration from bitrate");
  const format = fieldsOf(lines.find((line) => line.startsWith("format|")) ?? "");
  const found = lines.filter((line) => line.startsWith("stream|")).map(fieldsOf);
  // ffprobe lists the streams of a program twice.
  const streams = new Map(found.map((stream) => [Number(stream.index), stream]));
  return {
    format: format.format_name ?? "",
    brand: format["tag:major_brand"] ?? null,
    declaredSeconds: guessed ? null : seconds(format.duration),
    streams: [...streams]
      .sort(([a], [b]) => a - b)
      .map(([index, stream]) => ({
        index,
        kind: stream.codec_type === "video" || stream.codec_type === "audio" ? stream.codec_type : "other",
        codec: knownCodec(stream.codec_name),
        profile: stream.profile ?? "",
        width: number(stream.width),
        height: number(stream.height),
        samplesPerSecond: number(stream.sample_rate),
        channels: number(stream.channels),
        bitsPerSample: number(stream.bits_per_sample),
        still: Object.entries(stream).some(([name, value]) => name.startsWith("disposition:") && value === "1"),
        declaredSeconds: guessed ? null : seconds(stream.duration),
        encrypted: stream["tag:enc_key_id"] !== undefined,
      })),
  };
}

/** Returns the fields of a line by name. A value from the file may contain escaped bars. */
function fieldsOf(line: string): Record<string, string> {
  const fields = line.match(/(?:[^|\\]|\\.)+/gs) ?? [];
  return Object.fromEntries(
    fields.slice(1).map((field) => {
      const at = field.indexOf("=");
      return [field.slice(0, at), field.slice(at + 1)];
    }),
  );
}

function number(text: string | undefined): number {
  const value = Number(text);
  return Number.isFinite(value) ? value : 0;
}

function seconds(text: string | undefined): number | null {
  const value = number(text);
  return value > 0 ? value : null;
}

function knownCodec(name: string | undefined): string | null {
  return name === undefined || name === "unknown" || name === "none" ? null : name;
}
