import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing/running";

/** A video that clients send: its bytes, its length, and the seconds that a job with it costs. */
export type ChaosVideo = { name: string; bytes: Buffer; durationMs: number; billedSeconds: number };

// Constants instead of the service's rule: at least one minute, otherwise the nearest whole second.
const wanted = [
  { name: "blink", seconds: 1.2, billedSeconds: 60 },
  { name: "short", seconds: 4, billedSeconds: 60 },
  { name: "over-a-minute", seconds: 63, billedSeconds: 63 },
  { name: "minute-and-a-half", seconds: 90.4, billedSeconds: 90 },
  // Long enough for windows, in which lists are completed.
  { name: "over-two-minutes", seconds: 126, billedSeconds: 126 },
];

/** The bytes that make a video too large for one part of an object in a bucket. Its upload can then be left open. */
export const paddingBytes = 6 * 1024 * 1024;

/**
 * Makes the videos of a run in a directory. The pictures are small, to save CPU time. A video of four seconds is longer by
 * `padding` bytes, which players skip.
 */
export async function makeVideos(directory: string, padding = 0): Promise<ChaosVideo[]> {
  const videos: ChaosVideo[] = [];
  for (const { name, seconds, billedSeconds } of wanted) {
    const path = join(directory, `${name}.mp4`);
    const half = Math.floor(seconds / 2) || seconds / 2;
    const scenes = [
      { seconds: half, color: "red" },
      { seconds: seconds - half, color: "blue", moving: true },
    ];
    const { durationMs } = await makeVideo({ scenes, width: 64, height: 48, fps: 5, withoutSound: true }, path);
    const bytes = Buffer.concat([await readFile(path), ...(name === "short" ? [skippedBytes(padding)] : [])]);
    videos.push({ name, bytes, durationMs, billedSeconds });
  }
  return videos;
}

/** Returns a box of an MP4 that players skip. */
function skippedBytes(bytes: number): Buffer {
  if (bytes === 0) return Buffer.alloc(0);
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes);
  box.write("free", 4);
  return box;
}
