import { runFfprobe } from "../ffmpeg/run-ffprobe.ts";

/** One stream as the file's header describes it. */
export type HeaderStream = {
  index: number;
  kind: "video" | "audio" | "other";
  /** ffmpeg's name of the codec; null where it knows none. */
  codec: string | null;
  /** ffmpeg's name of what the codec was used for, such as `LC`; empty where it has none. */
  profile: string;
  width: number;
  height: number;
  /** Of sound; 0 elsewhere. */
  samplesPerSecond: number;
  channels: number;
  /** Of sound that is not compressed; 0 elsewhere. */
  bitsPerSample: number;
  /** Cover art, a still or chapter thumbnails: a picture, but not a moving one. */
  still: boolean;
  /** Declared, in seconds; null where the container does not say. */
  declaredSeconds: number | null;
  encrypted: boolean;
};

/** What a file says of itself, none of it to be believed. */
export type Header = {
  /** ffmpeg's name of the container family, such as `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string;
  /** The four characters of a file of the MP4 family that name its kind; null elsewhere. */
  brand: string | null;
  declaredSeconds: number | null;
  streams: HeaderStream[];
};

/** Reads a file's header and the beginning of its streams with ffprobe. Throws `FfmpegFailure`. */
export async function readHeader(path: string, signal: AbortSignal | undefined): Promise<Header> {
  const { stdout, stderr } = await runFfprobe(path, options, { timeoutMs: 60_000, maxCpuSeconds: 10, signal });
  const { streams = [], format = {} } = JSON.parse(stdout.toString("utf8")) as Probed;
  // Where the container declares no length, ffmpeg may guess one from the bit rate: nobody declared that.
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
