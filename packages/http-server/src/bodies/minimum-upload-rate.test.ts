import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { enforceMinimumUploadRate } from "./minimum-upload-rate.ts";

/** An upload that may pause for 0.2 s and must bring 2 bytes in that time. */
function openUpload() {
  const source = new PassThrough().resume();
  const problems: Problem[] = [];
  const rate = { uploadIdleSeconds: 0.2, uploadMinBytesPerSecond: 10 };
  const watch = enforceMinimumUploadRate(source, rate, (problem) => problems.push(problem));
  return { source, problems, watch };
}

test("an upload that pauses is refused once, and the message names the limits", async () => {
  const { source, problems } = openUpload();
  await expect.poll(() => problems.length).toBe(1);
  expect(problems).toMatchObject([{ code: "invalid_request", message: expect.stringMatching(/0\.2 s.*10 bytes/) }]);
  expect(source.listenerCount("data")).toBe(0);
});

test("an upload that arrives too slowly is refused, although it never pauses", async () => {
  const { source, problems } = openUpload();
  source.write("x");
  const timer = setInterval(() => source.write(""), 20);
  await expect.poll(() => problems.length).toBe(1);
  clearInterval(timer);
});

test("an upload that is fast enough goes on, and one that has ended is not watched", async () => {
  const { source, problems, watch } = openUpload();
  for (let step = 0; step < 10; step++) {
    source.write("xxxxxxxx");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(problems).toEqual([]);
  watch.stop();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(problems).toEqual([]);
});

test("the time for which this process stood still does not count against the sender", async () => {
  const { problems } = openUpload();
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(problems).toEqual([]);
  await expect.poll(() => problems.length).toBe(1);
});
