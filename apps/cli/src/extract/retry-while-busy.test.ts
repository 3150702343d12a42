import { VideoToJsonError } from "video-to-json";
import { expect, test } from "vitest";
import { retryWhileBusy } from "./extract-several.ts";

const busy = (code: "too_many_jobs" | "rate_limited" | "internal_error", retryAfterSeconds = 0) =>
  new VideoToJsonError(
    { code, message: "Why." },
    { status: 429, retryAfterSeconds, requestId: undefined, jobId: undefined },
  );

test("a busy service is asked again until it has a slot", async () => {
  const signal = new AbortController().signal;
  const retries: number[] = [];
  let calls = 0;
  const answer = await retryWhileBusy({ signal, onRetry: ({ attempt }) => retries.push(attempt) }, async () => {
    calls += 1;
    if (calls <= 12) throw busy(calls % 2 ? "too_many_jobs" : "rate_limited");
    return "answer";
  });
  expect([answer, retries.length, retries.at(-1)]).toEqual(["answer", 12, 13]);
});

test("other errors are thrown at once, and a signal ends the wait", async () => {
  const stop = new AbortController();
  const options = { signal: stop.signal, onRetry: () => stop.abort(new Error("stop")) };
  await expect(retryWhileBusy(options, () => Promise.reject(busy("internal_error")))).rejects.toThrow("Why.");
  await expect(retryWhileBusy(options, () => Promise.reject(busy("too_many_jobs", 3600)))).rejects.toThrow("abort");
});
