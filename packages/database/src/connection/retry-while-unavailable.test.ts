import { expect, test } from "vitest";
import { isDatabaseUnavailable, retryWhileUnavailable } from "./retry-while-unavailable.ts";

const fault = (code: string) => new Error("the query failed", { cause: Object.assign(new Error(code), { code }) });

test.each(["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "ECONNREFUSED", "57P01", "25P03"])(
  "work is retried while the database cannot be found or reached (%s)",
  async (code) => {
    const tries: boolean[] = [];
    const work = async (again: boolean) => {
      tries.push(again);
      if (!again) throw fault(code);
      return "done";
    };
    expect(isDatabaseUnavailable(fault(code))).toBe(true);
    expect(await retryWhileUnavailable(work)).toBe("done");
    expect(tries).toEqual([false, true]);
  },
);

test("a process that stood still beyond the limit starts no further attempt", async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200), 10);
    throw fault("ECONNREFUSED");
  };
  await expect(retryWhileUnavailable(work, { ms: 100 })).rejects.toThrow("did not answer in time");
  expect(tries).toBe(1);
});

test("an error in the query itself is thrown at once", async () => {
  await expect(retryWhileUnavailable(() => Promise.reject(fault("42601")))).rejects.toThrow("the query failed");
});
