import { FfmpegFailure, type RunContext, runFfmpeg } from "@video-to-json/media";

/** Length of one level, in milliseconds. */
export const levelMs = 50;

const samplesPerSecond = 8000;
const bytesOfLevel = (samplesPerSecond * levelMs * 2) / 1000;
const longestSeconds = 3600;

/** How loud the first sound track is, step by step, in decibels below full scale; null where there is none. */
export async function readLevels(path: string, context: RunContext): Promise<number[] | null> {
  const levels: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const onStdout = (chunk: Buffer) => {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + bytesOfLevel <= bytes.length; at += bytesOfLevel) levels.push(levelOf(bytes, at));
    rest = bytes.subarray(at);
  };
  const sound = ["-map", "0:a:0", "-vn", "-t", String(longestSeconds), "-ac", "1", "-ar", String(samplesPerSecond)];
  // A track that begins late is silent until then.
  const outputOptions = [...sound, "-af", "aresample=async=1:first_pts=0", "-f", "s16le"];
  try {
    await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 300_000, ...context, onStdout });
  } catch (error) {
    // No sound track, or one that cannot be decoded: nothing is heard.
    if (error instanceof FfmpegFailure && error.reason === "exit") return levels.length > 0 ? levels : null;
    throw error;
  }
  return levels;
}

const lowest = -120;

function levelOf(bytes: Buffer, from: number): number {
  let sum = 0;
  for (let at = from; at < from + bytesOfLevel; at += 2) sum += bytes.readInt16LE(at) ** 2;
  const rms = Math.sqrt(sum / (bytesOfLevel / 2)) / 32768;
  return rms === 0 ? lowest : Math.max(lowest, 20 * Math.log10(rms));
}
