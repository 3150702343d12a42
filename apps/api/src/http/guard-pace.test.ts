import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { Problem } from "@video-to-json/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { guardPace } from "./guard-pace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** An upload that may stand still for `seconds`, and must bring ten bytes in each. */
function openUpload(seconds: number) {
  const source = new PassThrough().resume();
  const problems: Problem[] = [];
  const guard = guardPace(source, { uploadIdleSeconds: seconds, uploadMinBytesPerSecond: 10 }, (problem) =>
    problems.push(problem),
  );
  return { source, problems, guard };
}

/** Sends so many bytes and lets a second pass, so many times. */
async function send(source: PassThrough, bytes: number, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    source.write(Buffer.alloc(bytes));
    await turn();
    vi.advanceTimersByTime(1000);
  }
}

test("an upload that is just quick enough goes on for as long as it likes", async () => {
  const { source, problems } = openUpload(5);
  await send(source, 10, 1800);
  expect(problems).toEqual([]);
});

test("an upload that trickles in, or stands still, is ended once, and says how slow it may be", async () => {
  const trickling = openUpload(5);
  await send(trickling.source, 9, 20);
  expect(trickling.problems).toMatchObject([{ code: "invalid_request", message: expect.stringContaining("for 5 s") }]);
  const standing = openUpload(5);
  await send(standing.source, 1000, 1);
  vi.advanceTimersByTime(4000);
  expect(standing.problems).toEqual([]);
  vi.advanceTimersByTime(2000);
  expect(standing.problems.length).toBe(1);
});

test("an upload that is over is not judged", async () => {
  const { problems, guard } = openUpload(5);
  guard.stop();
  vi.advanceTimersByTime(60_000);
  expect(problems).toEqual([]);
});

test("the time for which the whole process was stopped is not the sender's", async () => {
  vi.useRealTimers();
  const { problems } = openUpload(0.2);
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(problems).toEqual([]);
  await expect.poll(() => problems.length).toBe(1);
});
