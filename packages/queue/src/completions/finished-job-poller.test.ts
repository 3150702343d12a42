import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFinishedJobPoller } from "./completions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a poller whose queries the test answers. */
function pollerUnderTest() {
  const queries: { jobIds: string[]; answer(finished: string[]): void; fail(error: Error): void }[] = [];
  const found: string[] = [];
  const reported: unknown[] = [];
  const poller = openFinishedJobPoller({
    findFinished(jobIds) {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      queries.push({ jobIds, answer: resolve, fail: reject });
      return promise;
    },
    onFinished: (jobId) => void found.push(jobId),
    report: (error) => void reported.push(error),
  });
  return { poller, queries, found, reported };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("the checks of one turn share a query, which holds each job once", async () => {
  const { poller, queries, found } = pollerUnderTest();
  poller.check(["a"]);
  poller.check(["b", "a"]);
  await settled();
  expect(queries.map(({ jobIds }) => jobIds)).toEqual([["a", "b"]]);
  queries[0]?.answer(["b"]);
  await settled();
  expect(found).toEqual(["b"]);
  expect(queries).toHaveLength(1);
});

test("a check during a query waits for the next query, even if the running query holds the same job", async () => {
  const { poller, queries } = pollerUnderTest();
  poller.check(["a"]);
  await settled();
  poller.check(["a"]);
  poller.check(["b"]);
  await settled();
  expect(queries).toHaveLength(1);
  queries[0]?.answer([]);
  await settled();
  expect(queries[1]?.jobIds).toEqual(["a", "b"]);
});

test("a query holds a thousand jobs at most", async () => {
  const { poller, queries } = pollerUnderTest();
  poller.check(Array.from({ length: 2_500 }, (_, i) => `${i}`));
  for (let i = 0; i < 3; i += 1) {
    await settled();
    queries[i]?.answer([]);
  }
  expect(queries.map(({ jobIds }) => jobIds.length)).toEqual([1_000, 1_000, 500]);
});

test("a failed query is reported and not repeated by itself", async () => {
  const { poller, queries, reported } = pollerUnderTest();
  poller.check(["a"]);
  await settled();
  queries[0]?.fail(new Error("no database"));
  await settled();
  expect(reported).toEqual([new Error("no database")]);
  expect(queries).toHaveLength(1);
  poller.check(["a"]);
  await settled();
  expect(queries).toHaveLength(2);
});

test("a query that never returns delays the next one by ten seconds only", async () => {
  const { poller, queries, reported } = pollerUnderTest();
  poller.check(["a"]);
  await settled();
  poller.check(["b"]);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect.poll(() => reported).toHaveLength(1);
  expect(queries[1]?.jobIds).toEqual(["b"]);
});
