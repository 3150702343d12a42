import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reportProgress } from "./tool.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("messages name the job as soon as it is known, and numbers are milliseconds that only grow", async () => {
  const sent: { progress: number; message: string }[] = [];
  const progress = reportProgress(async (update) => sent.push(update));
  progress.nameJob("4c49");
  for (let again = 0; again < 40; again++) progress.report("queued");
  progress.report({ stage: "analysing", attempt: 2 });
  await vi.advanceTimersByTimeAsync(12_000);
  progress.stop();
  const messages = sent.map(({ message }) => message);
  expect(messages[0]).toBe("receiving, 0 s");
  expect(messages[1]).toBe("job 4c49, queued, 0 s");
  expect(messages.at(-1)).toBe("job 4c49, analysing, attempt 2, 12 s");
  const numbers = sent.map(({ progress }) => progress);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  for (const number of numbers) expect(String(number)).toMatch(/^\d+(\.\d{1,3})?$/);
});
