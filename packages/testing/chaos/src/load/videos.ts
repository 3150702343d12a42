import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing/running";

/** A video that clients send: its bytes, how long it is, and what a job with it must be billed. */
export type TrialVideo = { name: string; bytes: Buffer; durationMs: number; billedSeconds: number };

// Written down, not computed by the service's own rule: a minute at least, then the nearest whole second.
const wanted = [
  { name: "blink", seconds: 1.2, billedSeconds: 60 },
  { name: "short", seconds: 4, billedSeconds: 60 },
  { name: "over-a-minute", seconds: 63, billedSeconds: 63 },
  { name: "minute-and-a-half", seconds: 90.4, billedSeconds: 90 },
];

/** Makes the videos of a trial in a directory: small pictures, so that the machine has time for other things. */
export async function makeVideos(directory: string): Promise<TrialVideo[]> {
  const videos: TrialVideo[] = [];
  for (const { name, seconds, billedSeconds } of wanted) {
    const path = join(directory, `${name}.mp4`);
    const half = Math.floor(seconds / 2) || seconds / 2;
    const scenes = [
      { seconds: half, color: "red" },
      { seconds: seconds - half, color: "blue", moving: true },
    ];
    const { durationMs } = await makeVideo({ scenes, width: 64, height: 48, fps: 5, withoutSound: true }, path);
    videos.push({ name, bytes: await readFile(path), durationMs, billedSeconds });
  }
  return videos;
}
