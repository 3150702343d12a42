import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "@video-to-json/stack/service";
import { makeContainerVideos, runsAllTests } from "@video-to-json/testing/running";
import { expect, onTestFinished, test } from "vitest";
import { fuzzApi } from "./fuzz-api.ts";
import { compareVideos, fuzzVideos } from "./fuzz-videos.ts";
import { kinds } from "./requests.ts";

test("malformed requests get errors that name them, and valid ones beside them are served by the same process", async () => {
  await using service = await startService({
    env: { ...{ EXTRACTIONS_PER_MINUTE: "100000", READS_PER_MINUTE: "200000" }, FETCH_ALLOW_HOSTS: "127.0.0.1:1" },
  });
  const report = await fuzzApi({
    service,
    seed: 1,
    requests: runsAllTests ? 1500 : 120,
    clients: 4,
    restMs: 500,
    onProgress: () => {},
  });
  expect(report.violations).toEqual([]);
  expect([report.probes.failed, report.ended]).toEqual([0, []]);
  expect(Object.keys(report.kinds).sort()).toEqual(
    Object.keys(kinds)
      .flatMap((kind) => [kind, `${kind}, mangled`])
      .sort(),
  );
  // So few requests on a shared machine only show that nothing grows without limit. `./scripts/fuzz` has the real
  // limits.
  expect(report.after.memory).toBeLessThan(report.before.memory * 2);
}, 900_000);

test("each damaged video is measured or rejected with a code, in bounded time, and nothing is left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fuzz-videos-"));
  const report = await fuzzVideos({
    folder,
    seed: 1,
    videos: runsAllTests ? 150 : 14,
    clients: 2,
    onProgress: () => {},
  });
  expect(report.violations).toEqual([]);
  expect(report.endings.measured).toBeGreaterThan(2);
  expect(report.endings.media_unreadable).toBeGreaterThan(2);
  await rm(folder, { recursive: true });
}, 1_800_000);

test("the lengths of a folder of videos agree with the pictures that ffprobe decodes, and other files get a code", async () => {
  const folder = await mkdtemp(join(tmpdir(), "compare-videos-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = join(folder, "files");
  await mkdir(files);
  await makeContainerVideos(files);
  await writeFile(join(files, "notes.txt"), "no video");
  const { compared, violations } = await compareVideos({ folder, files });
  expect(violations).toEqual([]);
  expect(compared.filter(({ ending }) => ending !== "measured").map(({ file }) => file)).toEqual([
    join(files, "notes.txt"),
  ]);
  expect(compared.filter(({ frames }) => frames > 1).length).toBe(compared.length - 1);
});
