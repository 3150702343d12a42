import { PassThrough } from "node:stream";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import type { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { enforceMinimumUploadRate } from "./upload-limits.ts";

/** An upload that may pause for half a second and must deliver 50 bytes in that time. */
function openUpload() {
  const source = new PassThrough().resume();
  const problems: Problem[] = [];
  const rate = { uploadIdleSeconds: 0.5, uploadMinBytesPerSecond: 100 };
  const watch = enforceMinimumUploadRate(source, rate, (problem) => problems.push(problem));
  /** Sends `bytes` every 20 ms until the returned function is called. */
  const sendEvery20Ms = (bytes: number) => {
    const timer = setInterval(() => source.write(Buffer.alloc(bytes)), 20);
    return () => clearInterval(timer);
  };
  return { source, problems, watch, sendEvery20Ms };
}

test("an upload that pauses is refused once, and the message names the limits", async () => {
  const { source, problems } = openUpload();
  source.write(Buffer.alloc(1000));
  await expect.poll(() => problems.length).toBe(1);
  expect(problems).toMatchObject([{ code: "invalid_request", message: expect.stringMatching(/0\.5 s.*100 bytes/) }]);
  expect(source.listenerCount("data")).toBe(0);
});

test("an upload that is too slow is refused, although it never pauses; one that is fast enough continues", async () => {
  const [slow, fast] = [openUpload(), openUpload()];
  const stops = [slow.sendEvery20Ms(1), fast.sendEvery20Ms(1000)];
  await expect.poll(() => slow.problems.length).toBe(1);
  await wait(1000);
  expect([slow.problems.length, fast.problems.length]).toEqual([1, 0]);
  for (const stop of [...stops, fast.watch.stop]) stop();
});

test("an upload that has ended is not watched", async () => {
  const { problems, watch } = openUpload();
  watch.stop();
  await wait(1000);
  expect(problems).toEqual([]);
});

test("the time for which this process stood still does not count against the sender", async () => {
  const { problems } = openUpload();
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(problems).toEqual([]);
  await expect.poll(() => problems.length).toBe(1);
});

test("the time in which the upload is not read does not count against the sender", async () => {
  const { source, problems } = openUpload();
  source.pause();
  source.write(Buffer.alloc(1));
  await wait(1000);
  expect(problems).toEqual([]);
  source.resume();
  await expect.poll(() => problems.length).toBe(1);
});
