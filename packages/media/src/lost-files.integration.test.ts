import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import { ffmpeg, ffmpegDirectory } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { findConfinement } from "./ffmpeg/confinement.ts";
import { type MeasuredVideo, measure } from "./measure/measure.ts";
import { readableMedia } from "./provider-copy/copies.harness.ts";
import { prepareForProvider } from "./provider-copy/prepare-for-provider.ts";

const confinement = await findConfinement({ programDirectory: ffmpegDirectory });
let folder: string;
let clip: string;
let measured: MeasuredVideo;
let place: { storage: string; scratch: string; video: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lost-files-"));
  clip = join(folder, "clip.mkv");
  const source = "testsrc=size=64x48:rate=10:duration=2";
  await ffmpeg(["-f", "lavfi", "-i", source, "-c:v", "libx264", clip]);
  measured = await measure(clip, options);
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  const root = await mkdtemp(join(folder, "job-"));
  place = { storage: join(root, "storage"), scratch: join(root, "scratch"), video: join(root, "storage", "video") };
  await mkdir(place.storage);
  await mkdir(place.scratch);
  await copyFile(clip, place.video);
});

/** Calls `act` right before the next run of ffmpeg or ffprobe starts. */
function beforeNextRun(act: () => void): void {
  const onStart = () => {
    unsubscribe("child_process", onStart);
    act();
  };
  subscribe("child_process", onStart);
  onTestFinished(() => void unsubscribe("child_process", onStart));
}

const options = { maxVideoSeconds: 600, confinement };

const losses: [string, () => void][] = [
  ["is deleted with its directory", () => rmSync(place.storage, { recursive: true })],
  ["is cut off", () => truncateSync(place.video, 100)],
  ["is emptied", () => truncateSync(place.video, 0)],
  [
    "is replaced by another",
    () => {
      renameSync(place.video, `${place.video}.old`);
      writeFileSync(place.video, Buffer.alloc(10));
    },
  ],
];

test.each(losses)("a video is not rejected if its file %s while it is measured", async (_, lose) => {
  beforeNextRun(lose);
  const failure = await measure(place.video, options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(Problem);
});

test.each([
  ...losses.slice(0, 3),
  ["loses the directory for its copy", () => rmSync(place.scratch, { recursive: true })],
] satisfies typeof losses)("a video is not rejected if its file %s while it is copied", async (_, lose) => {
  beforeNextRun(lose);
  const target = { readable: readableMedia, scratchDir: place.scratch, confinement };
  const failure = await prepareForProvider(place.video, measured, target).catch((error: unknown) => error);
  // A program that reads an open file keeps it after its deletion.
  expect(failure).not.toBeInstanceOf(Problem);
});
