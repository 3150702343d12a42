import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement } from "@video-to-json/media";
import { ffmpeg, makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { colorShares } from "./color-names.ts";
import type { Evidence } from "./evidence.ts";
import { readFirstFrame } from "./first-frame.ts";
import { gatherEvidence } from "./gather-evidence.ts";

let folder: string;
const context = { confinement: await findConfinement({ programs: ["ffmpeg"] }), signal: new AbortController().signal };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gather-evidence-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function evidenceOf(path: string) {
  return gatherEvidence(path, await readFirstFrame(path, context), context);
}

function cutsOf({ scenes }: Evidence): number[] {
  return scenes.slice(1).map(({ startMs }) => startMs);
}

async function make(name: string, ...args: string[]): Promise<string> {
  const path = join(folder, name);
  await ffmpeg([...args, path]);
  return path;
}

test("scenes, colours, black, silence and sound are found at their times", async () => {
  const path = join(folder, "scenes.mp4");
  const scenes = [
    { seconds: 2, color: "orange", sound: "tone" as const, moving: true },
    { seconds: 2, color: "black" },
    { seconds: 3, color: "purple" },
    { seconds: 1, color: "white", sound: "tone" as const, moving: true },
  ];
  await makeVideo({ scenes, width: 160, height: 240 }, path);
  const seen = await evidenceOf(path);
  expect(seen).toMatchObject({ width: 160, height: 240, hasAudio: true });
  expect(cutsOf(seen)).toEqual([2000, 4000, 7000]);
  expect(Math.abs(seen.durationMs - 8000)).toBeLessThan(100);
  expect(seen.scenes.map(({ palette }) => colorShares(palette)[0]?.name)).toEqual([
    "orange",
    "black",
    "purple",
    "white",
  ]);
  expect(seen.black).toEqual([{ startMs: 2000, endMs: 4000 }]);
  expect(seen.silent).toEqual([{ startMs: 2000, endMs: 7000 }]);
  expect(seen.loud.map(({ startMs }) => startMs)).toEqual([0, 7000]);
  expect(seen.frozen).toEqual([{ startMs: 4000, endMs: 7000 }]);
});

test("motion is not a cut, and a picture that stops is frozen from its first repeated frame", async () => {
  const sources = ["testsrc2=size=160x120:rate=30:duration=2", "mandelbrot=size=160x120:rate=30"];
  const inputs = sources.flatMap((source) => ["-f", "lavfi", "-i", source]);
  const graph =
    "[0]tpad=stop_mode=clone:stop_duration=3,format=yuv420p[a];" +
    "[1]trim=duration=2,setpts=PTS-STARTPTS,format=yuv420p[b];[a][b]concat=n=2";
  const seen = await evidenceOf(await make("moving.mkv", ...inputs, "-filter_complex", graph, "-c:v", "libx264"));
  expect(cutsOf(seen)).toEqual([5000]);
  expect(seen.frozen).toEqual([{ startMs: 2000, endMs: 5000 }]);
  expect([seen.hasAudio, seen.loud]).toEqual([false, []]);
});

test("a file without a picture is refused", async () => {
  const path = await make("sound.mp4", "-f", "lavfi", "-i", "sine=duration=1");
  await expect(evidenceOf(path)).rejects.toThrow();
});
