import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { begin, openTimeLimit } from "./time-limit.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval"] }));
afterEach(() => void vi.useRealTimers());

type Limit = ReturnType<typeof openTimeLimit>;

/** Advances the clock by at most `most` milliseconds, until the limit aborts. Returns how many milliseconds passed. */
async function pass(limit: Limit, most: number): Promise<number> {
  let passed = 0;
  for (; !limit.signal.aborted && passed < most; passed++) {
    vi.advanceTimersByTime(1);
    await turn();
  }
  return passed;
}

/** A limit of 100 ms for a running task whose thread computes for `share` of the time. */
async function begun(share: number): Promise<Limit> {
  let passed = 0;
  setInterval(() => passed++, 1);
  const limit = openTimeLimit({ ms: 100, computedMs: async () => (limit.started[1] ?? 0) + passed * share });
  begin(limit.started);
  await turn();
  return limit;
}

test("a task has its whole time, even when its thread starts late", async () => {
  using limit = openTimeLimit({ ms: 100, computedMs: async () => Number.POSITIVE_INFINITY });
  vi.advanceTimersByTime(29_000);
  expect(limit.signal.aborted).toBe(false);
  begin(limit.started);
  const passed = await pass(limit, 900);
  expect(limit.signal.aborted).toBe(true);
  expect(passed).toBeGreaterThanOrEqual(100);
  expect(passed).toBeLessThan(120);
});

test("a task on a busy machine keeps its computing time, up to ten times its limit by the clock", async () => {
  using half = await begun(0.5);
  expect(await pass(half, 900)).toBeGreaterThanOrEqual(199);
  using idle = await begun(0.01);
  const passed = await pass(idle, 1200);
  expect([passed >= 999, passed < 1020]).toEqual([true, true]);
});

test("the limit also ends a thread whose computing time is unknown", async () => {
  using mute = openTimeLimit({ ms: 100, computedMs: () => new Promise(() => {}) });
  begin(mute.started);
  expect(await pass(mute, 900)).toBeLessThan(270);
  using gone = openTimeLimit({ ms: 100, computedMs: () => Promise.reject(new Error("no such thread")) });
  begin(gone.started);
  expect(await pass(gone, 900)).toBeLessThan(120);
});

test("time while the whole process was stopped does not count", async () => {
  vi.useRealTimers();
  using limit = openTimeLimit({ ms: 100, computedMs: async () => limit.started[1] ?? 0 });
  begin(limit.started);
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(limit.signal.aborted).toBe(false);
  await expect.poll(() => limit.signal.aborted).toBe(true);
});

test("the limit does not abort a finished task", async () => {
  const limit = openTimeLimit({ ms: 100, computedMs: async () => Number.POSITIVE_INFINITY });
  begin(limit.started);
  limit[Symbol.dispose]();
  await turn();
  vi.advanceTimersByTime(60_000);
  await turn();
  expect(limit.signal.aborted).toBe(false);
});
