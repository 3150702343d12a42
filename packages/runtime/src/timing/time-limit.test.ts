import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { unrefDelay, withTimeLimit } from "./time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});

test("the result and the error of work that ends in time are passed on", async () => {
  expect(await withTimeLimit(100, "Work", Promise.resolve("done"))).toBe("done");
  await expect(withTimeLimit(100, "Work", Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that takes longer is named in the error, or fails with the error that the caller creates", async () => {
  const named = expect(withTimeLimit(100, "Redis", never)).rejects.toThrow("Redis took longer than 100 ms.");
  const created = expect(withTimeLimit(100, () => new RangeError("late"), never)).rejects.toThrow(RangeError);
  await vi.advanceTimersByTimeAsync(101);
  await Promise.all([named, created]);
});

test("an answer that is still unread when the timer fires late still counts", async () => {
  vi.useRealTimers();
  const { promise, resolve } = Promise.withResolvers<string>();
  const limited = withTimeLimit(20, "Work", promise);
  // After the standstill, the timer fires first. The answer is read in the same turn of the event loop.
  setTimeout(() => resolve("answer"), 25);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  expect(await limited).toBe("answer");
});

test("a delay resolves after its time", async () => {
  let isOver = false;
  void unrefDelay(100).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});
