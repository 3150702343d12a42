import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { box, makeVideo, serveLocally, type WebServer } from "@video-to-json/testing/running";

/** A video that clients send: its bytes, its length, the seconds that a job with it costs, and clips of it. */
export type ChaosVideo = Length & { name: string; bytes: Buffer; clips: readonly ChaosClip[] };

type Length = { durationMs: number; billedSeconds: number };

/** A part of a video that clients ask about. Without an end it lasts until the end of the video. */
export type ChaosClip = { startSeconds: number; endSeconds: number | null; billedSeconds: number };

// Constants instead of the service's rule: at least one minute, otherwise the nearest whole second.
const wanted = [
  { name: "blink", seconds: 1.2, billedSeconds: 60, clips: [] },
  { name: "short", seconds: 4, billedSeconds: 60, clips: [{ startSeconds: 1, endSeconds: 3, billedSeconds: 60 }] },
  { name: "over-a-minute", seconds: 63, billedSeconds: 63, clips: [] },
  {
    ...{ name: "minute-and-a-half", seconds: 90.4, billedSeconds: 90 },
    clips: [
      { startSeconds: 5, endSeconds: 70, billedSeconds: 65 },
      { startSeconds: 10, endSeconds: null, billedSeconds: 80 },
    ],
  },
  {
    // Long enough for windows, in which lists are completed.
    ...{ name: "over-two-minutes", seconds: 126, billedSeconds: 126 },
    clips: [
      { startSeconds: 0, endSeconds: 75, billedSeconds: 75 },
      { startSeconds: 100, endSeconds: null, billedSeconds: 60 },
    ],
  },
];

/** The bytes that make a video too large for one part of an object in a bucket. Its upload can then be left open. */
export const paddingBytes = 6 * 1024 * 1024;

/** Makes the videos of a run, with small pictures. One video is longer by `padding` bytes, which players skip. */
export async function makeVideos(directory: string, padding = 0): Promise<ChaosVideo[]> {
  const videos: ChaosVideo[] = [];
  for (const { name, seconds, billedSeconds, clips } of wanted) {
    const path = join(directory, `${name}.mp4`);
    const half = Math.floor(seconds / 2) || seconds / 2;
    const scenes = [
      { seconds: half, color: "red" },
      { seconds: seconds - half, color: "blue", moving: true },
    ];
    const { durationMs } = await makeVideo({ scenes, width: 64, height: 48, fps: 5, withoutSound: true }, path);
    const bytes = Buffer.concat([
      await readFile(path),
      ...(name === "short" ? [box("free", Buffer.alloc(padding))] : []),
    ]);
    videos.push({ name, bytes, durationMs, billedSeconds, clips });
  }
  return videos;
}

/** Serves the videos: `/<name>`, `/slow/<name>` slowly, `/cut/<name>` incompletely. Other paths get 404. */
export function serveFiles(videos: readonly ChaosVideo[]): Promise<WebServer> {
  return serveLocally(async (request, response) => {
    const [name = "", manner = ""] = (request.url ?? "").split("/").reverse();
    const bytes = videos.find((video) => video.name === name)?.bytes;
    if (!bytes) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes.length });
    const half = Math.floor(bytes.length / 2);
    if (manner === "") return void response.end(bytes);
    response.write(bytes.subarray(0, half));
    await sleep(500);
    if (manner === "cut") response.destroy();
    else response.end(bytes.subarray(half));
  });
}
