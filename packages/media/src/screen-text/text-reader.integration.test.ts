import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { readScreenText } from "./read-screen-text.ts";
import { openTextReader } from "./text-reader.ts";

// The ffmpeg of the system: ours has no filters that make text hard to read.
const confinement = await findConfinement({});
const reader = openTextReader();
let scratchDir: string;
let videos: string;

beforeAll(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "text-scratch-"));
  videos = await mkdtemp(join(tmpdir(), "text-videos-"));
  const scenes = [
    { seconds: 1, color: "0x304050", text: "Final score 3-1" },
    { seconds: 1, color: "0x304050" },
  ] as const;
  await makeVideo({ scenes, width: 640, height: 360, withoutSound: true }, join(videos, "plain.mp4"));
});

afterAll(async () => {
  await reader.close();
  await Promise.all([scratchDir, videos].map((directory) => rm(directory, { recursive: true })));
});

const read = (path: string, atMs: number, signal?: AbortSignal) =>
  reader.read(path, atMs, { scratchDir, confinement, signal });

/** Returns a video with the plain one's text behind a filter. */
async function filtered(name: string, filter: string): Promise<string> {
  const output = join(videos, `${name}.mp4`);
  await promisify(execFile)("ffmpeg", ["-i", join(videos, "plain.mp4"), "-vf", filter, output]);
  return output;
}

test.each([
  ["tilted", "rotate=18*PI/180:c=0x304050"],
  ["noisy", "noise=alls=70:allf=t"],
])("%s text is read that tesseract misses, and the frame is not kept", async (name, filter) => {
  const path = await filtered(name, filter);
  expect((await read(path, 500)).replaceAll(" ", "")).toContain("Finalscore3-1");
  const first = readScreenText(path, 500, { reading: "all", scratchDir, confinement });
  expect(await first.catch(() => "")).not.toContain("Final score 3-1");
  expect(await readdir(scratchDir)).toEqual([]);
});

test("a frame without text, and a time after the end, have no text", async () => {
  const path = join(videos, "plain.mp4");
  expect([await read(path, 1_500), await read(path, 60_000)]).toEqual(["", ""]);
});

test.skipIf(process.platform !== "linux")(
  "only the thread that reads has less priority than the rest of the process",
  async () => {
    await read(join(videos, "plain.mp4"), 500);
    const threads = await readdir("/proc/self/task");
    const stats = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, "utf8")));
    const priorities = stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
    expect(new Set(priorities)).toEqual(new Set([0, 5]));
  },
);

test("an abort ends a reading, and the next one is not disturbed", async () => {
  const path = join(videos, "plain.mp4");
  const abort = new AbortController();
  const ended = Promise.allSettled([read(path, 400, abort.signal), read(path, 500)]);
  await expect.poll(() => readdir(scratchDir)).toContain("frame-400.pgm");
  abort.abort();
  expect((await ended).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await read(path, 500)).toContain("3-1");
  expect(await readdir(scratchDir)).toEqual([]);
});
