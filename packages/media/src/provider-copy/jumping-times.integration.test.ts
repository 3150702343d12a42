import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpeg } from "@video-to-json/testing";
import { ffmpegDirectory } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { measure } from "../measure/measure.ts";
import { readableMedia, readCopy } from "./copies.harness.ts";
import { prepareForProvider } from "./prepare-for-provider.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
/** A provider for which the picture has to be encoded. */
const readable = { ...readableMedia, videoCodecs: ["h264"] };
let folder: string;
/** A broadcast whose clock is at 95,000 s, near the largest time that a transport stream can hold. */
let broadcast: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "jumping-times-"));
  const inputs = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=4", "-f", "lavfi", "-i", "sine=duration=4"];
  await ffmpeg([...inputs, "-c:v", "mpeg2video", "-output_ts_offset", "95000", "steady.ts"], folder);
  broadcast = await readFile(join(folder, "steady.ts"));
});

afterAll(() => rm(folder, { recursive: true }));

/** Prepares a video, and returns its measured length, the length of the copy and the time that it took, all in milliseconds. */
async function prepare(name: string, video: Buffer) {
  const path = join(folder, name);
  await writeFile(path, video);
  const scratchDir = await mkdtemp(join(folder, "scratch-"));
  const given = await measure(path, { maxVideoSeconds: 600, confinement });
  const startedAt = performance.now();
  const ready = await prepareForProvider(path, given, { readable, scratchDir, confinement });
  const tookMs = performance.now() - startedAt;
  return { measuredMs: given.durationMs, sentMs: (await readCopy(ready.path, confinement)).durationMs, tookMs };
}

/** Sets the decoding time of a picture to 47,722 s (2^32 ticks), as damage may. It is the last field of the header of a picture. */
function withOtherDecodingTime(video: Buffer, picture: number): Buffer {
  const damaged = Buffer.from(video);
  const start = "\0\0\x01\xe0";
  let at = -1;
  for (let seen = 0; seen <= picture; ) {
    at = damaged.indexOf(start, at + 1, "latin1");
    if (at < 0) throw new Error(`the video has no picture ${picture}`);
    if ((damaged[at + 7] ?? 0) >> 6 === 3) seen++;
  }
  damaged.set([0x19, 0, 1, 0, 1], at + 14);
  return damaged;
}

test("a damaged decoding time, half a day before the others, costs no copy of half a day", async () => {
  const steady = await prepare("steady-copy.ts", broadcast);
  const damaged = await prepare("damaged.ts", withOtherDecodingTime(broadcast, 5));
  expect(Math.abs(damaged.sentMs - damaged.measuredMs)).toBeLessThan(500);
  expect(damaged.tookMs).toBeLessThan(25 * steady.tookMs);
});
