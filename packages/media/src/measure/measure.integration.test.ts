import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import { ffmpeg, makeTrickyVideos, makeVideo, type TrickyVideo } from "@video-to-json/testing";
import { ffmpegDirectory, runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { measure } from "./measure.ts";
import { putBox } from "./mp4-boxes.harness.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;
let tricky: TrickyVideo[];
let sample: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "measure-"));
  sample = join(folder, "sample.mp4");
  await makeVideo({ scenes: [{ seconds: 4, color: "red" }] }, sample);
  tricky = await makeTrickyVideos(folder, { all: runsAllTests });
});

afterAll(() => rm(folder, { recursive: true }));

test("every tricky file gets the right length, or is rejected with the right code", async () => {
  expect(tricky.length).toBeGreaterThanOrEqual(40);
  const left = tricky.values();
  const work = async () => {
    for (const video of left) expect.soft(await outcomeOf(video), video.name).toEqual(video.expect);
  };
  await Promise.all([work(), work()]);
});

test("container, codecs and streams are measured along with the length", async () => {
  expect(await measure(sample, { maxVideoSeconds: 600, confinement })).toEqual({
    packetBytes: expect.any(Number),
    pixels: 320 * 240 * 100,
    late: false,
    padded: false,
    durationMs: 4000,
    container: "mp4",
    mimeType: "video/mp4",
    videoCodec: "h264",
    audioCodec: "aac",
    width: 320,
    height: 240,
    timedStreams: [0, 1],
    copyStreams: [0, 1],
    uncounted: false,
    edited: false,
  });
});

test("measuring a video takes two starts of a program, a third only if an edit list may hide something, and one if it cannot be opened", async () => {
  let starts = 0;
  const onStart = () => void starts++;
  subscribe("child_process", onStart);
  await measure(sample, { maxVideoSeconds: 600, confinement });
  expect(starts).toBe(2);
  const file = await readFile(sample);
  for (let at = file.indexOf("elst"); at >= 0; at = file.indexOf("elst", at + 4)) file.writeUInt32BE(500, at + 12);
  const hidden = join(folder, "hidden.mp4");
  await writeFile(hidden, file);
  expect(await measure(hidden, { maxVideoSeconds: 600, confinement })).toMatchObject({ edited: true });
  expect(starts).toBe(5);
  const words = join(folder, "words.mp4");
  await writeFile(words, "no video, but more than a few words of text that no container begins with");
  await expect(measure(words, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
    code: "media_unreadable",
  });
  expect(starts).toBe(6);
  unsubscribe("child_process", onStart);
});

test("a video whose shown part has no picture that decodes is refused", async () => {
  const path = join(folder, "undecodable.mp4");
  await ffmpeg(["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=4", "-c:v", "libx264", "-g", "20", path]);
  const file = await readFile(path);
  const start = file.indexOf("mdat") + 4;
  const shown = putBox(
    file.fill(0xab, start + Math.round((file.indexOf("moov") - start) * 0.5), file.indexOf("moov") - 4),
    "moov/trak/edts/elst",
    (old) => {
      const [length, at] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(1500);
      at.writeUInt32BE(Math.round(2.3 * 10_240));
      return Buffer.concat([old.subarray(0, 8), length, at, old.subarray(16)]);
    },
  );
  await writeFile(path, shown);
  await expect(measure(path, { maxVideoSeconds: 600, confinement })).rejects.toMatchObject({
    code: "media_unreadable",
  });
});

test("the limit applies to the rounded length", async () => {
  expect((await measure(sample, { maxVideoSeconds: 4, confinement })).durationMs).toBe(4000);
  const refused = await measure(sample, { maxVideoSeconds: 3, confinement }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "video_too_long" });
  expect((refused as Problem).message).toContain("4.000 s");
});

test("an abort rejects with its reason", async () => {
  const reason = new Error("the worker stops");
  await expect(measure(sample, { maxVideoSeconds: 600, confinement, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

/** Returns the expectation itself if the measurement is within its tolerance, and otherwise the measurement. */
async function outcomeOf({ path, expect: wanted }: TrickyVideo): Promise<unknown> {
  try {
    const { durationMs } = await measure(path, { maxVideoSeconds: 600, confinement });
    const close = wanted.ok && Math.abs(durationMs - wanted.durationMs) <= wanted.toleranceMs;
    return close ? wanted : { ok: true, durationMs };
  } catch (error) {
    return { ok: false, code: error instanceof Problem ? error.code : String(error) };
  }
}
