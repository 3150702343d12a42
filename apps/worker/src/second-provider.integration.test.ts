import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { claimJob } from "@video-to-json/database";
import { measure } from "@video-to-json/media";
import { openJobQueue, startWorker } from "@video-to-json/queue";
import { makeVideo, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, type MemoryProvider } from "./memory-provider.harness.ts";
import { runJob } from "./run-job.ts";

const answer = '{"colour":"red"}';

test.each([
  ["H.264 and AAC in MP4", ["-c", "copy"], "mp4"],
  ["VP8 and Opus in Matroska", ["-c:v", "libvpx", "-c:a", "libopus"], "mkv"],
])(
  "a second provider that reads only WebM gets %s as WebM, and its answer is stored, paid for and cleaned up",
  async (_name, codecs, ending) => {
    const provider = createMemoryProvider({ answers: ["not JSON", answer] });
    const { place, run } = await openWorker(provider);
    const id = await place.newJob(await makeFile(place.directory, codecs, ending));
    await run(id);

    expect(await place.findJob(id)).toMatchObject({ status: "succeeded", dataText: answer, billedSeconds: 60 });
    expect(await place.debitedSeconds()).toBe(60);
    expect(provider.received).toMatchObject([{ mimeType: "video/webm" }]);
    const copy = join(place.directory, "copy");
    await writeFile(copy, provider.received[0]?.bytes ?? "");
    expect(await measure(copy, { maxVideoSeconds: 600 })).toMatchObject({
      ...{ container: "webm", videoCodec: "vp8", audioCodec: "opus" },
    });
    expect(provider.questions.map(({ responseSchema }) => responseSchema)).toEqual([null, null]);
    expect(provider.questions[1]?.prompt).toContain('"colour"');
    expect([provider.copies.size, await place.uploads(), await readdir(place.deps.scratchDir)]).toEqual([0, [], []]);
  },
);

test("what an earlier claim left at a second provider is deleted and cancelled", async () => {
  const provider = createMemoryProvider({ answers: [answer] });
  const { place, run } = await openWorker(provider);
  const id = await place.newJob(await makeFile(place.directory, ["-c", "copy"], "mp4"));
  await claimJob(place.deps.db, id);
  const records = join(place.deps.scratchDir, `${id}.1`, "upload-notes");
  await mkdir(records, { recursive: true });
  await writeFile(join(records, "upload"), "url");
  await run(id);

  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", billedSeconds: 60 });
  expect([provider.copies.size, provider.cancelledUploads]).toEqual([0, ["upload"]]);
  expect(await readdir(place.deps.scratchDir)).toEqual([]);
});

test("a file larger than a second provider takes fails with file_too_large, without a question or a charge", async () => {
  const provider = createMemoryProvider({ answers: [answer] });
  const media = { ...provider.capabilities.media, maxFileBytes: 1000 };
  const { place, run } = await openWorker({ ...provider, capabilities: { media, schemaDialect: null } });
  const id = await place.newJob(await makeFile(place.directory, ["-c", "copy"], "mp4"));
  await run(id);

  const job = await place.findJob(id);
  expect([job?.status, JSON.parse(job?.errorText ?? "{}").code]).toEqual(["failed", "file_too_large"]);
  expect([provider.received, provider.questions, await place.debitedSeconds()]).toEqual([[], [], 0]);
});

/** Makes a one-second video with sound. */
async function makeFile(directory: string, codecs: readonly string[], ending: string): Promise<string> {
  const [source, path] = [join(directory, "source.mp4"), join(directory, `video.${ending}`)];
  await makeVideo({ scenes: [{ seconds: 1, color: "red", sound: "tone" }] }, source);
  await promisify(execFile)("ffmpeg", ["-v", "error", "-i", source, ...codecs, path]);
  return path;
}

/** Opens a worker with a queue of its own. `run` enqueues a job and resolves when the worker has run it. */
async function openWorker(provider: MemoryProvider) {
  const place = await openJobPlace(provider);
  const { url: redisUrl, prefix } = testRedis();
  const redis = { redisUrl, prefix, onError: () => {} };
  const queue = openJobQueue(redis);
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const worker = startWorker({
    ...redis,
    concurrency: 1,
    run: (jobId, context) => runJob(place.deps, jobId, context).then(resolve, reject),
  });
  onTestFinished(async () => {
    await worker.close(1000);
    await queue.close();
  });
  return {
    place,
    run: async (jobId: string) => {
      await queue.enqueue(jobId);
      await finished;
    },
  };
}
