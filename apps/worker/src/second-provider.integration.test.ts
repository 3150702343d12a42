import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claimJob } from "@video-to-json/database";
import { measure } from "@video-to-json/media";
import { openJobQueue, startWorker } from "@video-to-json/queue";
import { ffmpeg, makeVideo, testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, type MemoryProvider } from "./memory-provider.harness.ts";

const answer = '{"colour":"red"}';

test("a second provider gets a container that it reads and no schema; its answer is stored, paid for and cleaned up", async () => {
  const provider = createMemoryProvider({ answers: ["not JSON", answer] });
  const { place, run, receivedVideo } = await openWorker(provider);
  const id = await place.newJob(await makeFile(place.directory, "video.mp4", ["-c", "copy"]));
  await run(id);

  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", dataText: answer, billedSeconds: 60 });
  expect(await place.debitedSeconds()).toBe(60);
  expect(await receivedVideo()).toMatchObject({ container: "webm", videoCodec: "vp8", audioCodec: "opus" });
  expect(provider.received.map(({ mimeType }) => mimeType)).toEqual(["video/webm"]);
  expect(provider.questions.map(({ responseSchema }) => responseSchema)).toEqual([null, null]);
  expect(provider.questions[1]?.prompt).toContain('"colour"');
  expect([provider.copies.size, await place.uploads(), await readdir(place.deps.scratchDir)]).toEqual([0, [], []]);
});

test("the copies and uploads of an earlier claim at a second provider are deleted and cancelled", async () => {
  const provider = createMemoryProvider({ answers: [answer] });
  const { place, run, receivedVideo } = await openWorker(provider);
  const codecs = ["-c:v", "libvpx", "-c:a", "libopus"];
  const id = await place.newJob(await makeFile(place.directory, "video.mkv", codecs));
  await claimJob(place.deps.db, id);
  const leftover = { jobId: id, mimeType: "video/webm", bytes: Buffer.alloc(0) };
  const other = { ...leftover, jobId: "00000000-0000-4000-8000-000000000000" };
  provider.copies.add(leftover).add(other);
  const records = join(place.deps.scratchDir, `${id}.1`, "upload-records");
  await mkdir(records, { recursive: true });
  await writeFile(join(records, "upload"), "url");
  await run(id);

  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", billedSeconds: 60 });
  expect(await receivedVideo()).toMatchObject({ container: "webm", videoCodec: "vp8", audioCodec: "opus" });
  expect([[...provider.copies], provider.cancelledUploads]).toEqual([[other], ["upload"]]);
  expect(await readdir(place.deps.scratchDir)).toEqual([]);
});

/** Makes a one-second video with sound. */
async function makeFile(directory: string, name: string, codecs: readonly string[]): Promise<string> {
  const [source, path] = [join(directory, "source.mp4"), join(directory, name)];
  const scenes = [{ seconds: 1, color: "red", sound: "tone" }] as const;
  await makeVideo({ scenes, width: 64, height: 48, fps: 5 }, source);
  await ffmpeg(["-i", source, ...codecs, path]);
  return path;
}

/** Opens a worker with a queue of its own. */
async function openWorker(provider: MemoryProvider) {
  const place = await openJobPlace(provider);
  const { url: redisUrl, prefix } = testRedis();
  const redis = { redisUrl, prefix, onError: () => {} };
  const queue = openJobQueue(redis);
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  const worker = startWorker({
    ...redis,
    concurrency: 1,
    run: async (ticket, { signal }) => {
      await place.runJob(ticket, { signal, progress: () => {} }).then(resolve, reject);
      return ticket;
    },
  });
  onTestFinished(async () => {
    await worker.close(1000);
    await queue.close();
  });
  return {
    place,
    /** Enqueues a job. Resolves when the worker has run it. */
    run: async (jobId: string) => {
      await queue.enqueue(jobId);
      await finished;
    },
    /** Measures the video that the provider received. */
    receivedVideo: async () => {
      const path = join(place.directory, "received");
      await writeFile(path, provider.received[0]?.bytes ?? "");
      return measure(path, { maxVideoSeconds: 600, confinement: place.deps.confinement });
    },
  };
}
