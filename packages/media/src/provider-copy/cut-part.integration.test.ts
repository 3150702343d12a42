import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoPart } from "@video-to-json/contract";
import { ffmpeg, makeVideo } from "@video-to-json/testing";
import { ffmpegDirectory } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { measure } from "../measure/measure.ts";
import { putBox } from "../measure/mp4-boxes.harness.ts";
import { readableMedia, readCopy } from "./copies.harness.ts";
import { prepareForProvider } from "./prepare-for-provider.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cut-part-"));
  const scenes = [
    { seconds: 7.5, color: "red" },
    { seconds: 6, color: "blue", sound: "tone" },
    { seconds: 6.5, color: "red" },
  ] as const;
  await makeVideo({ scenes, width: 160, height: 96 }, join(folder, "video.mp4"));
});

afterAll(() => rm(folder, { recursive: true }));

/**
 * Makes another file from the video if there are `args`, and cuts its part from 5 to 15 s, which is blue from 2.5 to
 * 8.5 s.
 */
async function cutOut(
  name: string,
  args: readonly string[],
  part: VideoPart | null = { fromMs: 5000, toMs: 15_000 },
  maxSide = 1280,
) {
  const path = join(folder, name);
  if (args.length > 0) await ffmpeg(["-i", "video.mp4", ...args, path], folder);
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  const video = await measure(path, { maxVideoSeconds: 600, confinement });
  const options = { readable: readableMedia, scratchDir, part, maxSide, confinement };
  const file = await prepareForProvider(path, video, options);
  const cut = await readCopy(file.path, confinement);
  return { cut, left: await readdir(scratchDir), blue: await bluePictures(file.path) };
}

/**
 * Returns for each tenth of a second of a video whether it is blue. The product's own ffmpeg may not write raw
 * pictures.
 */
async function bluePictures(path: string): Promise<boolean[]> {
  const filters = "fps=10:start_time=0:round=down,scale=1:1,format=rgb24";
  const pictures = join(await mkdtemp(join(folder, "pictures-")), "pictures.rgb");
  await ffmpeg(["-i", path, "-vf", filters, "-f", "rawvideo", pictures]);
  const bytes = await readFile(pictures);
  return Array.from({ length: bytes.length / 3 }, (_, at) => (bytes[at * 3 + 2] ?? 0) > (bytes[at * 3] ?? 0));
}

test.each([
  ["an MP4 with one whole picture", "gop.mp4", ["-g", "1000", "-c:a", "copy"]],
  ["a Matroska file", "video.mkv", ["-c", "copy"]],
  ["a transport stream", "video.ts", ["-c", "copy"]],
])("the part of %s has the requested start and length, and holds nothing else", async (_what, name, args) => {
  const { cut, left, blue } = await cutOut(name, args);
  expect(cut).toMatchObject({ container: "mp4", videoCodec: "h264", audioCodec: "aac", width: 160, height: 96 });
  expect(Math.abs(cut.durationMs - 10_000)).toBeLessThan(150);
  expect(left).toEqual(["clip-for-analysis.mp4"]);
  expect(Math.abs(blue.indexOf(true) - 25)).toBeLessThanOrEqual(1);
  expect(Math.abs(blue.lastIndexOf(true) - 84)).toBeLessThanOrEqual(1);
});

test("of a video that was trimmed without encoding, only the shown part is measured and sent, and clips count from its start", async () => {
  const whole = join(folder, "one-picture.mp4");
  const keeping = ["-map", "0", "-g", "1000", "-sc_threshold", "0", "-c:a", "copy"];
  await ffmpeg(["-i", "video.mp4", ...keeping, whole], folder);
  const trimmed = join(folder, "trimmed.mp4");
  await ffmpeg(["-ss", "5", "-i", whole, "-t", "10", "-c", "copy", trimmed], folder);
  const { cut, left, blue } = await cutOut("trimmed.mp4", [], null);
  expect(Math.abs(cut.durationMs - 10_000)).toBeLessThan(150);
  expect(left).toEqual(["clip-for-analysis.mp4"]);
  expect(Math.abs(blue.indexOf(true) - 25)).toBeLessThanOrEqual(1);
  expect(Math.abs(blue.lastIndexOf(true) - 84)).toBeLessThanOrEqual(1);
  const clip = await cutOut("trimmed.mp4", [], { fromMs: 2000, toMs: 4000 });
  expect(Math.abs(clip.cut.durationMs - 2000)).toBeLessThan(150);
  expect(Math.abs(clip.blue.indexOf(true) - 5)).toBeLessThanOrEqual(1);
  // Played twice.
  const twice = putBox(await readFile(trimmed), "moov/trak/edts/elst", (old) =>
    Buffer.concat([old.subarray(0, 4), Buffer.from([0, 0, 0, 2]), old.subarray(8), old.subarray(8)]),
  );
  await writeFile(join(folder, "twice.mp4"), twice);
  const repeated = await cutOut("twice.mp4", [], null);
  expect(Math.abs(repeated.cut.durationMs - 20_000)).toBeLessThan(300);
});

test("a part begins with the picture on the screen at its start, and ends with the picture on the screen at its end", async () => {
  // The video has a picture every four seconds: the one at 12 s is the first blue one, and the one at 16 s the last.
  const { cut, blue } = await cutOut("slides.mp4", ["-r", "0.25", "-c:a", "copy"], { fromMs: 17_000, toMs: 26_000 });
  expect(Math.abs(cut.durationMs - 9000)).toBeLessThan(150);
  expect(blue.indexOf(false)).toBeGreaterThanOrEqual(29);
  expect(blue.lastIndexOf(true)).toBeLessThanOrEqual(30);
});

test("the pictures of a part are made smaller on request", async () => {
  const { cut } = await cutOut("video.mp4", [], { fromMs: 0, toMs: 3000 }, 80);
  expect(cut).toMatchObject({ width: 80, height: 48 });
  expect(Math.abs(cut.durationMs - 3000)).toBeLessThan(150);
});
