import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { begin, openTimeLimit } from "./time-limit.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("however long its thread takes to start, a task has its whole time", async () => {
  using limit = openTimeLimit(100);
  vi.advanceTimersByTime(29_000);
  expect(limit.signal.aborted).toBe(false);
  begin(limit.started);
  let passed = 0;
  for (; !limit.signal.aborted && passed < 900; passed++) {
    vi.advanceTimersByTime(1);
    await turn();
  }
  expect(limit.signal.aborted).toBe(true);
  expect(passed).toBeGreaterThanOrEqual(100);
});

test("a task that is done is not ended", async () => {
  const limit = openTimeLimit(100);
  begin(limit.started);
  limit[Symbol.dispose]();
  await turn();
  vi.advanceTimersByTime(60_000);
  expect(limit.signal.aborted).toBe(false);
});
