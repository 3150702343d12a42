import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { type Picture, takePictures } from "./take-pictures.ts";

// A minimal build does not read or write raw pictures.
const confinement = await findConfinement({ programs: ["ffmpeg"] });
let folder: string;
let video: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "take-pictures-"));
  video = join(folder, "video.mp4");
  const scenes = [
    { seconds: 4.5, color: "red" },
    { seconds: 2.5, color: "blue" },
  ] as const;
  await makeVideo({ scenes, width: 640, height: 360, fps: 10 }, video);
});

afterAll(() => rm(folder, { recursive: true }));

const take = (from: string | Uint8Array, more: object = {}) =>
  takePictures(from, { framesPerSecond: 1, maxSide: 448, maxPictures: 600, scratchDir: folder, confinement, ...more });

/** Decodes a picture, and returns its size and whether it is rather blue than red. */
async function look({ jpeg }: Picture) {
  const path = join(folder, "picture.avi");
  await writeFile(path, aviOf(jpeg));
  const outputOptions = ["-vf", "showinfo,scale=1:1,format=rgb24", "-frames:v", "1", "-f", "rawvideo"];
  const run = await runFfmpeg({ input: path, outputOptions, output: "-" }, { timeoutMs: 20_000, confinement });
  const [red = 0, , blue = 0] = run.stdout;
  return { size: / s:(\d+x\d+) /.exec(run.stderr)?.[1], isBlue: blue > red };
}

/** ffmpeg may read no single picture, so a list of one chunk makes it a video. */
function aviOf(jpeg: Uint8Array): Buffer {
  const chunk = (name: string, body: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.write(name);
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const list = (name: string, type: string, ...parts: Buffer[]) =>
    chunk(name, Buffer.concat([Buffer.from(type), ...parts]));
  const words = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
  const stream = Buffer.concat([Buffer.from("vidsMJPG"), words(0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0)]);
  const format = Buffer.concat([words(40, 448, 252, 0x180001), Buffer.from("MJPG"), words(0, 0, 0, 0, 0)]);
  const header = chunk("avih", words(1_000_000, 0, 0, 0, 1, 0, 1, 0, 448, 252, 0, 0, 0, 0));
  const streams = list("LIST", "strl", chunk("strh", stream), chunk("strf", format));
  return list(
    "RIFF",
    "AVI ",
    list("LIST", "hdrl", header, streams),
    list("LIST", "movi", chunk("00dc", Buffer.from(jpeg))),
  );
}

test("a picture with the time of a second shows what begins within it, in the longest side", async () => {
  const pictures = await take(video);
  expect(pictures.map(({ ms }) => ms)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000]);
  const seen = [await look(pictures[3] as Picture), await look(pictures[4] as Picture)];
  expect(seen.map(({ isBlue }) => isBlue)).toEqual([false, true]);
  expect(seen[0]?.size).toBe("448x252");
});

test("the limit bounds the number of pictures, and half the rate gives half as many", async () => {
  expect((await take(video, { maxPictures: 3 })).map(({ ms }) => ms)).toEqual([0, 1000, 2000]);
  expect((await take(video, { framesPerSecond: 0.5 })).map(({ ms }) => ms)).toEqual([0, 2000, 4000, 6000]);
});

test("a clip in memory gives the same pictures and leaves no file", async () => {
  const before = await readdir(folder);
  expect(await take(await readFile(video))).toEqual(await take(video));
  expect(await readdir(folder)).toEqual(before);
});

test("bytes without a video fail, and leave no file", async () => {
  const before = await readdir(folder);
  await expect(take(Buffer.from("no video"))).rejects.toThrow("ffmpeg");
  expect(await readdir(folder)).toEqual(before);
});
