import type { Header, HeaderStream } from "./read-header.ts";
import type { StreamLength } from "./timeline.ts";

/**
 * The least time in seconds that the packets of a stream take to play, whatever their time stamps say; 0 where it is no
 * sound or its codec does not tell.
 */
export function leastSoundSeconds(header: Header, stream: HeaderStream, seen: StreamLength): number {
  if (stream.kind !== "audio" || stream.codec === null || !(stream.samplesPerSecond > 0)) return 0;
  // The rate of a broadcast may change on the way, which ffmpeg follows in the durations, though not of AAC.
  if (header.format.startsWith("mpeg") && !stream.codec.startsWith("aac")) return seen.summedSeconds;
  // FLV has no word for 8 and 16 kHz, and ffmpeg writes its lowest rate there.
  const unnamed = header.format === "flv" && stream.samplesPerSecond === 5512;
  return leastSamples(stream.codec, stream, seen) / (unnamed ? 16_000 : stream.samplesPerSecond);
}

/** How much sound may lie in so many seconds: containers round, and clocks drift. */
export function mostSoundSeconds(seconds: number): number {
  return seconds + Math.max(2, seconds * 0.05);
}

function leastSamples(codec: string, stream: HeaderStream, { packets, bytes }: StreamLength): number {
  if (codec.startsWith("pcm_")) {
    const bits = stream.bitsPerSample * stream.channels;
    return bits > 0 ? (8 * bytes) / bits : 0;
  }
  // Short frames are those of telephony, and of 960 samples those of radio.
  if (codec.startsWith("aac")) return packets * (/^(LC|Main|HE-AAC(v2)?)$/.test(stream.profile) ? 960 : 480);
  if (codec === "mp3") return packets * (stream.samplesPerSecond < 32_000 ? 576 : 1152);
  return packets * (samplesPerPacket[codec] ?? 0);
}

/** The fewest that a packet can hold, or that any encoder in use puts there. */
const samplesPerPacket: Record<string, number> = {
  ...{ mp1: 384, mp2: 1152, ac3: 1536, eac3: 256, dts: 192, truehd: 40, mlp: 40 },
  // 2.5 ms of Opus, always at 48 kHz.
  ...{ opus: 120, vorbis: 64, flac: 192, alac: 352, wmav1: 512, wmav2: 512 },
  ...{ amr_nb: 160, amr_wb: 320, speex: 160, gsm: 160, gsm_ms: 320, qcelp: 160, nellymoser: 256 },
};
