import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type RetryPolicy, retry } from "./retry.ts";

const busy = new Error("busy");
const broken = new Error("broken");
const isTransient = (error: unknown) => error === busy;
const policy: RetryPolicy = { minDelayMs: 100, maxDelayMs: 400, isTransient };

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
afterEach(() => void vi.restoreAllMocks());

/** A clock that moves only during pauses, and records them. */
function fakeClock() {
  const pauses: number[] = [];
  let time = 1_000_000;
  const wait = async (ms: number) => {
    pauses.push(ms);
    time += ms;
  };
  return { pauses, clock: { now: () => time, wait } };
}

/** Work that fails with `errors` in turn, then returns the numbers of its attempts. */
function failing(...errors: Error[]) {
  const attempts: number[] = [];
  return async (attempt: number) => {
    attempts.push(attempt);
    const error = errors.shift();
    if (error) throw error;
    return attempts;
  };
}

test("work is tried again while its error is transient, after pauses that double up to the longest", async () => {
  const { clock, pauses } = fakeClock();
  expect(await retry(failing(busy, busy, busy, busy), { ...policy, clock })).toEqual([1, 2, 3, 4, 5]);
  expect(pauses).toEqual([100, 200, 400, 400]);
});

test("an error that is not transient is thrown at once", async () => {
  const { clock, pauses } = fakeClock();
  await expect(retry(failing(busy, broken), { ...policy, clock })).rejects.toBe(broken);
  expect(pauses).toEqual([100]);
});

test("the last error is thrown when the attempts or the time are used up", async () => {
  const { clock, pauses } = fakeClock();
  const always = failing(...Array(50).fill(busy));
  await expect(retry(always, { ...policy, clock, maxAttempts: 3 })).rejects.toBe(busy);
  expect(pauses).toEqual([100, 200]);
  // 700 ms have passed when the third attempt fails; the next pause would end after 1,100 ms.
  pauses.length = 0;
  await expect(retry(always, { ...policy, clock, maxElapsedMs: 1_099 })).rejects.toBe(busy);
  expect(pauses).toEqual([100, 200, 400]);
});

test("a pause that the error asks for replaces the exponential one, and each gets its jitter", async () => {
  const { clock, pauses } = fakeClock();
  const delayMs = (_: unknown, attempt: number) => (attempt === 2 ? 5_000 : undefined);
  const retries: unknown[] = [];
  const onRetry = (event: object) => void retries.push(event);
  await retry(failing(busy, busy, busy), { ...policy, clock, jitter: 0.5, delayMs, onRetry });
  expect(pauses).toEqual([125, 5_050, 500]);
  expect(retries[1]).toEqual({ error: busy, attempt: 2, delayMs: 5_050 });
});

test("an abort ends the pause and starts no further attempt", async () => {
  const stop = new AbortController();
  const work = vi.fn(() => Promise.reject(busy));
  const retried = retry(work, { ...policy, minDelayMs: 60_000, maxDelayMs: 60_000, signal: stop.signal });
  const outcome = expect(retried).rejects.toBe(broken);
  await expect.poll(() => work.mock.calls.length).toBe(1);
  stop.abort(broken);
  await outcome;
  await expect(retry(work, { ...policy, signal: stop.signal })).rejects.toBe(broken);
  expect(work).toHaveBeenCalledTimes(1);
});

test("the result of an attempt that succeeds after the abort is kept", async () => {
  const stop = new AbortController();
  const work = async () => {
    stop.abort(broken);
    return "done";
  };
  expect(await retry(work, { ...policy, signal: stop.signal })).toBe("done");
});
