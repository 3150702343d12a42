import type { Header, HeaderStream } from "./read-header.ts";
import type { StreamLength } from "./timeline.ts";

/**
 * Returns the shortest time in seconds in which the packets of a sound stream can be played, regardless of their time
 * stamps. Returns 0 for a stream that is not sound, or if the codec does not determine it.
 */
export function minSoundSeconds(header: Header, stream: HeaderStream, length: StreamLength): number {
  if (stream.kind !== "audio" || stream.codec === null || !(stream.samplesPerSecond > 0)) return 0;
  // The sample rate of a broadcast may change; ffmpeg's durations follow it, except for AAC.
  if (header.format.startsWith("mpeg") && !stream.codec.startsWith("aac")) return length.summedSeconds;
  if (/^(matroska|ogg)/.test(header.format) && parsedCodecs.has(stream.codec)) return parsedSeconds(stream, length);
  // FLV cannot declare 8 and 16 kHz; ffmpeg then reads its lowest rate.
  const isUnknownRate = header.format === "flv" && stream.samplesPerSecond === 5512;
  return minSamples(stream.codec, stream, length) / (isUnknownRate ? 16_000 : stream.samplesPerSecond);
}

/** In Matroska and Ogg, ffmpeg takes the durations of these packets from their own first bytes. */
const parsedCodecs = new Set(["opus", "flac"]);

function parsedSeconds(stream: HeaderStream, { summedSeconds }: StreamLength): number {
  // ffmpeg counts with the declared rate, but Opus always plays at 48 kHz.
  return stream.codec === "opus" ? (summedSeconds * stream.samplesPerSecond) / 48_000 : summedSeconds;
}

/** Returns how many seconds of sound a video of this length may contain, because containers round and clocks drift. */
export function maxSoundSeconds(videoSeconds: number): number {
  return videoSeconds + Math.max(2, videoSeconds * 0.05);
}

function minSamples(codec: string, stream: HeaderStream, { packets, bytes }: StreamLength): number {
  if (codec.startsWith("pcm_")) {
    const bits = stream.bitsPerSample * stream.channels;
    return bits > 0 ? (8 * bytes) / bits : 0;
  }
  // Telephony uses short frames, and radio frames of 960 samples.
  if (codec.startsWith("aac")) return packets * (/^(LC|Main|HE-AAC(v2)?)$/.test(stream.profile) ? 960 : 480);
  if (codec === "mp3") return packets * (stream.samplesPerSecond < 32_000 ? 576 : 1152);
  return packets * (samplesPerPacket[codec] ?? 0);
}

/** The fewest samples that a packet can contain, or that any common encoder writes. */
const samplesPerPacket: Record<string, number> = {
  ...{ mp1: 384, mp2: 1152, ac3: 1536, eac3: 256, dts: 192, truehd: 40, mlp: 40 },
  // 2.5 ms of Opus, always at 48 kHz.
  ...{ opus: 120, vorbis: 64, flac: 192, alac: 352, wmav1: 512, wmav2: 512 },
  ...{ amr_nb: 160, amr_wb: 320, speex: 160, gsm: 160, gsm_ms: 320, qcelp: 160, nellymoser: 256 },
};
