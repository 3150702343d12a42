import { expect, test } from "vitest";
import { latenciesOf, summary } from "./times.ts";

test("p50 and p99 are the percentiles of the times", () => {
  const times = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(summary(times)).toEqual({ p50: 100, p99: 198 });
  expect(summary([0.126])).toEqual({ p50: 0.13, p99: 0.13 });
});

test("a load run has the requested number of calls in flight, after a tenth of them as a warm-up", async () => {
  let [begun, running, most] = [0, 0, 0];
  const work = async () => {
    begun += 1;
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  const { p50, p99 } = await latenciesOf(work, { times: 60, together: 4 });
  expect([begun, most, running]).toEqual([66, 4, 0]);
  expect(p50).toBeLessThanOrEqual(p99);
});

test("the best of three rounds counts", async () => {
  let begun = 0;
  const work = async () => {
    begun += 1;
    // The warm-up and the first two rounds are delayed.
    if (begun > 7) return;
    const until = performance.now() + 5;
    while (performance.now() < until);
  };
  expect((await latenciesOf(work, { times: 9, together: 1 })).p50).toBeLessThan(5);
});
