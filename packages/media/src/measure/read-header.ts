import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfprobe } from "../ffmpeg/run-ffprobe.ts";

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
  const { stdout, stderr } = await runFfprobe(path, options, { timeoutMs: 60_000, maxCpuSeconds: 10, ...context });
  const { streams = [], format = {} } = JSON.parse(stdout.toString("utf8")) as Probed;
  // Without a declared length, ffmpeg may estimate one from the bit rate.
  const guessed = stderr.includes("Estimating duration from bitrate");
  return {
    format: format.format_name ?? "",
    brand: format.tags?.major_brand ?? null,
    declaredSeconds: guessed ? null : seconds(format.duration),
    streams: streams.map((stream) => ({
      index: stream.index,
      kind: stream.codec_type === "video" || stream.codec_type === "audio" ? stream.codec_type : "other",
      codec: knownCodec(stream.codec_name),
      profile: stream.profile ?? "",
      width: stream.width ?? 0,
      height: stream.height ?? 0,
      samplesPerSecond: Number(stream.sample_rate ?? 0),
      channels: stream.channels ?? 0,
      bitsPerSample: stream.bits_per_sample ?? 0,
      still: Object.values(stream.disposition ?? {}).some((flag) => flag === 1),
      declaredSeconds: guessed ? null : seconds(stream.duration),
      encrypted: stream.tags?.enc_key_id !== undefined,
    })),
  };
}

type Probed = {
  streams?: {
    index: number;
    codec_type?: string;
    codec_name?: string;
    width?: number;
    height?: number;
    profile?: string;
    sample_rate?: string;
    channels?: number;
    bits_per_sample?: number;
    duration?: string;
    disposition?: Record<string, number>;
    tags?: { enc_key_id?: string };
  }[];
  format?: { format_name?: string; duration?: string; tags?: { major_brand?: string } };
};

const options = [
  ...["-v", "warning", "-of", "json", "-show_entries"],
  "stream=index,codec_type,codec_name,profile,width,height,sample_rate,channels,bits_per_sample,duration" +
    ":stream_disposition=attached_pic,still_image,timed_thumbnails:stream_tags=enc_key_id" +
    ":format=format_name,duration:format_tags=major_brand",
];

function seconds(text: string | undefined): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}

function knownCodec(name: string | undefined): string | null {
  return name === undefined || name === "unknown" || name === "none" ? null : name;
}
