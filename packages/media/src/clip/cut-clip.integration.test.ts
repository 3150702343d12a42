import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { ffmpegDirectory } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { measure } from "../measure/measure.ts";
import { readableMedia } from "../provider-copy/copies.harness.ts";
import { clockSize, drawClock } from "./clock-pictures.ts";
import { cutClip } from "./cut-clip.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
// A minimal build does not write raw pictures.
const ownConfinement = ffmpegDirectory ? await findConfinement({ programs: ["ffmpeg"] }) : confinement;
let folder: string;
let video: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cut-clip-"));
  video = join(folder, "video.mp4");
  const scenes = [
    { seconds: 62.5, color: "red" },
    { seconds: 4, color: "blue", sound: "tone" },
    { seconds: 13.5, color: "red" },
  ] as const;
  await makeVideo({ scenes, width: 320, height: 180, fps: 10, soundRate: 16_000 }, video);
});

afterAll(() => rm(folder, { recursive: true }));

const clipOptions = { fileStartMs: 0, readable: readableMedia, hasSound: true, maxBytes: 8_000_000, confinement };

test("a clip shows its part of the video, with the clock of the whole video below each picture", async () => {
  const span = { fromMs: 55_300, toMs: 73_300, framesPerSecond: 5 };
  const { bytes, mimeType } = await cutClip(video, { ...clipOptions, ...span, scratchDir: folder });
  const path = join(folder, "clip.mp4");
  await writeFile(path, bytes);

  expect(mimeType).toBe("video/mp4");
  const measured = await measure(path, { maxVideoSeconds: 600, confinement });
  expect(measured).toMatchObject({ width: 320, height: 180 + clockSize.height, videoCodec: "h264", audioCodec: "aac" });
  expect(Math.abs(measured.durationMs - 18_000)).toBeLessThan(250);
  const frames = await decode(path, measured);
  expect(frames).toHaveLength(90);
  expect(frames.map(({ isBlue }) => isBlue).indexOf(true)).toBe(Math.ceil((62_500 - 55_300) / 200));
  const drawn = drawClock(span);
  const size = clockSize.width * clockSize.height;
  for (const [index, { clock }] of frames.entries()) {
    const wanted = drawn.subarray(index * size, (index + 1) * size);
    const wrong = wanted.filter((value, at) => Math.abs(value - (clock[at] ?? 0)) > 100).length;
    expect(wrong / size, `picture ${index}`).toBeLessThan(0.01);
  }
});

test("cuts and silences of a clip are reported as times of the whole video", async () => {
  const span = { fromMs: 55_000, toMs: 75_000, framesPerSecond: 2 };
  const { edges } = await cutClip(video, { ...clipOptions, ...span, scratchDir: folder });
  expect(edges.cutsMs.map((ms) => Math.round(ms / 100))).toEqual([625, 665]);
  const silences = edges.silences.map(({ fromMs, toMs }) => [Math.round(fromMs / 500), Math.round(toMs / 500)]);
  expect(silences).toEqual([
    [110, 125],
    [133, 150],
  ]);
});

test("a clip of a file that is a part of the video has the clock of the whole video", async () => {
  const span = { fromMs: 60_000, toMs: 66_000, framesPerSecond: 2 };
  const inFile = { ...clipOptions, ...span, fileStartMs: 5000, scratchDir: folder };
  const { edges } = await cutClip(video, inFile);
  // The file shows blue from its second 62.5 on. That is second 67.5 of a video that began 5 s earlier.
  expect(edges.cutsMs).toEqual([]);
  const later = await cutClip(video, { ...inFile, fromMs: 64_000, toMs: 70_000 });
  expect(later.edges.cutsMs.map((ms) => Math.round(ms / 100))).toEqual([675]);
});

test("a part that holds no picture is an error, and no file is left", async () => {
  const span = { fromMs: 200_000, toMs: 210_000, framesPerSecond: 2 };
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  await expect(cutClip(video, { ...clipOptions, ...span, scratchDir })).rejects.toMatchObject({
    name: "FfmpegFailure",
  });
  expect(await readdir(scratchDir)).toEqual([]);
});

/** Decodes every picture of a clip. Returns whether its middle is blue, and its clock as grey pixels. */
async function decode(path: string, { width, height }: { width: number; height: number }) {
  const outputOptions = ["-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo"];
  const limits = { timeoutMs: 60_000, confinement: ownConfinement, maxStdoutBytes: 200_000_000 };
  const { stdout } = await runFfmpeg({ input: path, outputOptions, output: "-" }, limits);
  const left = (width - clockSize.width) / 2;
  return Array.from({ length: stdout.length / (width * height * 3) }, (_, index) => {
    const at = (x: number, y: number) => (index * width * height + y * width + x) * 3;
    const middle = at(width / 2, 100);
    const clock: number[] = [];
    for (let y = height - clockSize.height; y < height; y++)
      for (let x = left; x < left + clockSize.width; x++) clock.push(stdout[at(x, y)] ?? 0);
    return { isBlue: (stdout[middle + 2] ?? 0) > (stdout[middle] ?? 0), clock };
  });
}
