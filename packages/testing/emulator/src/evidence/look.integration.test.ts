import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement } from "@video-to-json/media";
import { ffmpeg, makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { look } from "./look.ts";
import { readFirstFrame } from "./tracks.ts";

let folder: string;
const context = { confinement: await findConfinement({ programs: ["ffmpeg"] }), signal: new AbortController().signal };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "look-"));
});
afterAll(() => rm(folder, { recursive: true }));

const lookAt = async (path: string) => look(path, await readFirstFrame(path, context), context);

test("scenes, colours, black, silence and sound are found at their times", async () => {
  const path = join(folder, "scenes.mp4");
  const scenes = [
    { seconds: 2, color: "orange", sound: "tone" as const, moving: true },
    { seconds: 2, color: "black" },
    { seconds: 3, color: "purple" },
    { seconds: 1, color: "white", sound: "tone" as const, moving: true },
  ];
  await makeVideo({ scenes, width: 160, height: 240 }, path);
  const { durationMs, hasAudio, marks } = await lookAt(path);
  const spans = (label: string) =>
    marks.filter((mark) => mark.label === label).map(({ startMs, endMs }) => [startMs, endMs]);
  expect(hasAudio).toBe(true);
  expect(Math.abs(durationMs - 8000)).toBeLessThan(100);
  expect(spans("cut").map(([at]) => at)).toEqual([2000, 4000, 7000]);
  const colors = marks.filter(({ label }) => label === "scene").map(({ attributes }) => attributes.color);
  expect(colors).toEqual(["orange", "black", "purple", "white"]);
  expect(spans("black")).toEqual([[2000, 4000]]);
  expect(spans("silent")).toEqual([[2000, 7000]]);
  expect(spans("sound").map(([start]) => start)).toEqual([0, 7000]);
});

test("motion, a fade and a flash are not cuts", async () => {
  const path = join(folder, "moving.mkv");
  const size = "size=160x120:rate=25";
  const sources = [`testsrc2=${size}:duration=3`, `color=gray:${size}:duration=2`, `color=white:${size}:duration=2`];
  const graph =
    "[0]format=yuv420p[a];[1]drawbox=c=white:t=fill:enable='between(t,1,1.05)',format=yuv420p[b];" +
    "[2]fade=out:st=0.5:d=1,format=yuv420p[c];[a][b][c]concat=n=3";
  const inputs = sources.flatMap((source) => ["-f", "lavfi", "-i", source]);
  await ffmpeg([...inputs, "-filter_complex", graph, "-c:v", "libx264", path]);
  const { marks, hasAudio } = await lookAt(path);
  expect(marks.filter(({ label }) => label === "cut").map(({ startMs }) => startMs)).toEqual([3000, 5000]);
  expect(hasAudio).toBe(false);
});

test("a file without a picture is refused", async () => {
  const path = join(folder, "sound.mp4");
  await ffmpeg(["-f", "lavfi", "-i", "sine=duration=1", path]);
  await expect(lookAt(path)).rejects.toThrow();
});
