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

test("an error in the query itself is thrown at once", async () => {
  await expect(retryWhileUnavailable(() => Promise.reject(fault("42601")))).rejects.toThrow("the query failed");
});
