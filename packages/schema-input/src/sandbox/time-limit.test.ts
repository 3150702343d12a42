import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { begin, openTimeLimit } from "./time-limit.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval"] }));
afterEach(() => void vi.useRealTimers());

type Limit = ReturnType<typeof openTimeLimit>;

/** Lets so many milliseconds pass, or as many as it takes until the limit ends its task; gives how many. */
async function pass(limit: Limit, most: number): Promise<number> {
  let passed = 0;
  for (; !limit.signal.aborted && passed < most; passed++) {
    vi.advanceTimersByTime(1);
    await turn();
  }
  return passed;
}

/** A limit of 100 ms for a task that has begun, in a thread that computes for `share` of the time. */
async function begun(share: number): Promise<Limit> {
  let passed = 0;
  setInterval(() => passed++, 1);
  const limit = openTimeLimit({ ms: 100, computedMs: async () => (limit.started[1] ?? 0) + passed * share });
  begin(limit.started);
  await turn();
  return limit;
}

test("however long its thread takes to start, a task has its whole time", async () => {
  using limit = openTimeLimit({ ms: 100, computedMs: async () => Number.POSITIVE_INFINITY });
  vi.advanceTimersByTime(29_000);
  expect(limit.signal.aborted).toBe(false);
  begin(limit.started);
  const passed = await pass(limit, 900);
  expect(limit.signal.aborted).toBe(true);
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThan(120);
});

test("a task on a busy machine may compute for as long, by the clock up to two and a half times as long", async () => {
  using half = await begun(0.5);
  expect(await pass(half, 900)).toBeGreaterThanOrEqual(199);
  using idle = await begun(0.01);
  const passed = await pass(idle, 900);
  expect([passed >= 249, passed < 270]).toEqual([true, true]);
});

test("a thread that does not say how long it has computed is ended all the same", async () => {
  using mute = openTimeLimit({ ms: 100, computedMs: () => new Promise(() => {}) });
  begin(mute.started);
  expect(await pass(mute, 900)).toBeLessThan(270);
  using gone = openTimeLimit({ ms: 100, computedMs: () => Promise.reject(new Error("no such thread")) });
  begin(gone.started);
  expect(await pass(gone, 900)).toBeLessThan(120);
});

test("the time for which the whole process was stopped is not the task's", async () => {
  vi.useRealTimers();
  using limit = openTimeLimit({ ms: 100, computedMs: async () => limit.started[1] ?? 0 });
  begin(limit.started);
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(limit.signal.aborted).toBe(false);
  await expect.poll(() => limit.signal.aborted).toBe(true);
});

test("a task that is done is not ended", async () => {
  const limit = openTimeLimit({ ms: 100, computedMs: async () => Number.POSITIVE_INFINITY });
  begin(limit.started);
  limit[Symbol.dispose]();
  await turn();
  vi.advanceTimersByTime(60_000);
  await turn();
  expect(limit.signal.aborted).toBe(false);
});
