import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchMinimumRate } from "./minimum-rate.ts";

let clock = 0;
beforeEach(() => {
  clock = 0;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(performance, "now").mockImplementation(() => clock);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A stream that must deliver 10 bytes a second over windows of 5 s, and may pause for `maxIdleMs`. */
function openStream(maxIdleMs = Number.POSITIVE_INFINITY) {
  const onTooSlow = vi.fn();
  const rate = watchMinimumRate({ minBytesPerSecond: 10, windowMs: 5_000, maxIdleMs, onTooSlow });
  return { rate, onTooSlow };
}

/** Lets `ms` milliseconds pass, a multiple of 500. */
function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += 500) {
    clock += 500;
    vi.advanceTimersByTime(500);
  }
}

/** The process stands still for `ms` milliseconds: one timer fires late, and the others of that time never. */
function standStill(ms: number): void {
  clock += ms;
  vi.advanceTimersByTime(500);
}

test("a stream that is just fast enough continues for any time", () => {
  const { rate, onTooSlow } = openStream(5_000);
  for (let second = 0; second < 1800; second++) {
    rate.count(10);
    pass(1_000);
  }
  expect(onTooSlow).not.toHaveBeenCalled();
});

test("a window with too few bytes is too slow, which is reported once", () => {
  const { rate, onTooSlow } = openStream();
  rate.count(49);
  pass(4_500);
  expect(onTooSlow).not.toHaveBeenCalled();
  pass(500);
  expect(onTooSlow).toHaveBeenCalledTimes(1);
  pass(60_000);
  expect(onTooSlow).toHaveBeenCalledTimes(1);
});

test("many bytes at once do not count for later windows", () => {
  const { rate, onTooSlow } = openStream();
  rate.count(1_000_000);
  pass(9_500);
  expect(onTooSlow).not.toHaveBeenCalled();
  pass(500);
  expect(onTooSlow).toHaveBeenCalledTimes(1);
});

test("a stream that pauses for longer than the idle limit is too slow, however much it sent before", () => {
  const { rate, onTooSlow } = openStream(2_000);
  rate.count(1_000_000);
  pass(2_000);
  expect(onTooSlow).not.toHaveBeenCalled();
  pass(500);
  expect(onTooSlow).toHaveBeenCalledTimes(1);
});

test("a sender is not blamed for the time in which this process stood still", () => {
  const { rate, onTooSlow } = openStream(2_000);
  pass(1_500);
  standStill(60_000);
  pass(1_500);
  rate.count(50);
  pass(2_000);
  expect(onTooSlow).not.toHaveBeenCalled();
});

test("the window after a standstill counts again", () => {
  const { rate, onTooSlow } = openStream();
  pass(4_500);
  standStill(1_501);
  rate.count(49);
  pass(4_500);
  expect(onTooSlow).not.toHaveBeenCalled();
  pass(500);
  expect(onTooSlow).toHaveBeenCalledTimes(1);
});

test("a stream that has ended is not watched", () => {
  const { rate, onTooSlow } = openStream(1_000);
  rate.stop();
  pass(60_000);
  expect(onTooSlow).not.toHaveBeenCalled();
});

test("a real standstill of the process costs the sender one step", async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  const onTooSlow = vi.fn();
  const rate = watchMinimumRate({ minBytesPerSecond: 10, windowMs: 200, onTooSlow });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(onTooSlow).not.toHaveBeenCalled();
  await expect.poll(() => onTooSlow.mock.calls.length).toBe(1);
  rate.stop();
});
