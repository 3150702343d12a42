import type { FileHandle } from "node:fs/promises";
import { createHeadReader } from "./mp4-boxes.ts";
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

/**
 * Returns how long a packet of sound plays, in seconds, according to its first bytes. Null if they do not determine it.
 */
type ReadHead = (head: Buffer, samplesPerSecond: number) => number | null;

/**
 * Returns the total playing time of a sound stream's packets, by the first bytes of each. Stops once the sum is above
 * `maxSeconds`.
 *
 * @param positions where the packets begin in the file.
 * @param samplesPerSecond for packets that do not contain it.
 * @returns seconds; 0 if the packets of this codec do not determine how long they play.
 */
export async function sumSoundHeads(
  file: FileHandle,
  codec: string,
  positions: readonly number[],
  { samplesPerSecond, maxSeconds }: { samplesPerSecond: number; maxSeconds: number },
): Promise<number> {
  const secondsOf = readers[codec];
  if (!secondsOf) return 0;
  const headAt = createHeadReader(file);
  let sum = 0;
  for (const position of positions.slice(0, maxHeads)) {
    sum += secondsOf(await headAt(position), samplesPerSecond) ?? 0;
    if (sum > maxSeconds) return sum;
  }
  return sum;
}

/** More packets than ten minutes of Opus have with the shortest packets. */
const maxHeads = 300_000;

const readers: Record<string, ReadHead> = { opus: opusSeconds, flac: flacSeconds };

/** RFC 6716, section 3.1: the first byte contains the length of a frame and the code of their number. */
export function opusSeconds(head: Buffer): number | null {
  const [first, second = 0] = head;
  if (first === undefined) return null;
  const configuration = first >> 3;
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : second & 63;
  // A decoder plays at most 120 ms of a packet.
  return Math.min(0.12, (frames * opusFrameMs(configuration)) / 1000);
}

function opusFrameMs(configuration: number): number {
  if (configuration < 12) return [10, 20, 40, 60][configuration & 3] ?? 10;
  if (configuration < 16) return [10, 20][configuration & 1] ?? 10;
  return [2.5, 5, 10, 20][configuration & 3] ?? 2.5;
}

/** RFC 9639, section 9.1: the third byte contains the codes of block size and sample rate. */
export function flacSeconds(head: Buffer, samplesPerSecond: number): number | null {
  if (head.length < 5 || head[0] !== 0xff || (head.readUInt8(1) & 0xfc) !== 0xf8) return null;
  const sizeCode = head.readUInt8(2) >> 4;
  const rateCode = head.readUInt8(2) & 15;
  // The number of the frame comes before sizes and rates that have no code. Its first byte determines its length.
  const sizeAt = 4 + Math.max(1, Math.clz32(~(head.readUInt8(4) << 24)));
  const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0);
  if (head.length < rateAt + 2) return null;
  const samples =
    sizeCode === 6
      ? head.readUInt8(sizeAt) + 1
      : sizeCode === 7
        ? head.readUInt16BE(sizeAt) + 1
        : (flacBlockSizes[sizeCode] ?? 0);
  const rate = flacRate(rateCode, head, rateAt) || samplesPerSecond;
  return rate > 0 && samples > 0 ? samples / rate : null;
}

const flacBlockSizes = [
  ...[0, 192, 576, 1152, 2304, 4608, 0, 0],
  ...[256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768],
];
const flacRates = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

function flacRate(code: number, head: Buffer, at: number): number {
  if (code === 12) return 1000 * head.readUInt8(at);
  if (code === 13) return head.readUInt16BE(at);
  if (code === 14) return 10 * head.readUInt16BE(at);
  return flacRates[code] ?? 0;
}
