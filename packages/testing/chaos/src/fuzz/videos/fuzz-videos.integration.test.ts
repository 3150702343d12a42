import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runsAllTests } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { fuzzVideos } from "./fuzz-videos.ts";

test("each damaged video is measured or rejected with a code, in bounded time, and nothing is left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fuzz-videos-"));
  const report = await fuzzVideos({
    folder,
    seed: 1,
    videos: runsAllTests ? 600 : 14,
    clients: 2,
    onProgress: () => {},
  });
  expect(report.violations).toEqual([]);
  expect(report.endings.measured).toBeGreaterThan(2);
  expect(report.endings.media_unreadable).toBeGreaterThan(2);
  await rm(folder, { recursive: true });
}, 1_800_000);
