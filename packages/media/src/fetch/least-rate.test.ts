import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchRate } from "./least-rate.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Ends windows of 10 s, asked for 10 bytes each, and tells how often it was called too slow. */
function timesTooSlow(windows: readonly { lateMs?: number; bytes?: number }[]): number {
  let clock = 0;
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  const tooSlow = vi.fn();
  const rate = watchRate({ minBytesPerSecond: 1, windowMs: 10_000, tooSlow });
  for (const { lateMs = 0, bytes = 0 } of windows) {
    clock += 10_000 + lateMs;
    rate.count(bytes);
    vi.advanceTimersByTime(10_000);
  }
  rate.stop();
  return tooSlow.mock.calls.length;
}

test("a window with too few bytes is too slow, one with enough is not", () => {
  expect(timesTooSlow([{ bytes: 10 }])).toBe(0);
  expect(timesTooSlow([{ bytes: 9 }])).toBe(1);
  expect(timesTooSlow([{ bytes: 9, lateMs: 900 }])).toBe(1);
});

test("a server is not blamed for a window in which this process stood still", () => {
  expect(timesTooSlow([{ lateMs: 1100 }])).toBe(0);
  expect(timesTooSlow([{ lateMs: 60_000, bytes: 3 }, { bytes: 10 }])).toBe(0);
});

test("after a window that was not judged the next one is", () => {
  expect(timesTooSlow([{ lateMs: 60_000, bytes: 100 }, { bytes: 3 }])).toBe(1);
});
