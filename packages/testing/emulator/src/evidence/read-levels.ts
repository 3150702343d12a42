import { FfmpegFailure, type RunContext } from "@video-to-json/media";
import { decodeTrack } from "./decode-track.ts";

/** The length of the sound that one level measures, in milliseconds. */
export const levelMs = 50;

const samplesPerSecond = 8000;
const bytesPerLevel = (samplesPerSecond * levelMs * 2) / 1000;

/**
 * Returns the levels of the first sound track in decibels relative to full scale, one for every `levelMs`. Returns null
 * if there is no sound track or it cannot be decoded.
 */
export async function readLevels(path: string, context: RunContext): Promise<number[] | null> {
  const levels: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const addSamples = (chunk: Buffer) => {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + bytesPerLevel <= bytes.length; at += bytesPerLevel) levels.push(levelOf(bytes, at));
    rest = bytes.subarray(at);
  };
  // The filter writes silence until a late track starts.
  const filters = ["-af", "aresample=async=1:first_pts=0", "-f", "s16le"];
  const outputOptions = ["-vn", "-ac", "1", "-ar", String(samplesPerSecond), ...filters];
  try {
    await decodeTrack(path, { track: "0:a:0", outputOptions }, context, addSamples);
  } catch (error) {
    if (error instanceof FfmpegFailure && error.reason === "exit") return levels.length > 0 ? levels : null;
    throw error;
  }
  return levels;
}

const minDecibels = -120;

function levelOf(bytes: Buffer, from: number): number {
  let sum = 0;
  for (let at = from; at < from + bytesPerLevel; at += 2) sum += bytes.readInt16LE(at) ** 2;
  const rms = Math.sqrt(sum / (bytesPerLevel / 2)) / 32768;
  return rms === 0 ? minDecibels : Math.max(minDecibels, 20 * Math.log10(rms));
}
