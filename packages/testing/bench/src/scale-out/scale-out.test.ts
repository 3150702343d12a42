import { expect, test } from "vitest";
import { isMet } from "../report/figure.ts";
import { figuresOf } from "./scale-out.ts";

const step = (workers: number, jobsPerSecond: number, busy: number) => ({
  workers,
  jobsPerSecond,
  busy,
  cpuSecondsAJob: 0.1,
});

test("a step below 0.9 of linear misses its goal, unless the processors are full", () => {
  const figures = figuresOf([step(1, 1, 0.2), step(2, 1.81, 0.4), step(4, 3.5, 0.8), step(8, 4, 0.95)]);
  const met = Object.fromEntries(figures.map((figure) => [figure.what, isMet(figure)]));
  expect(met).toMatchObject({ "1 worker": undefined, "2 workers": true, "4 workers": false });
  expect(met["8 workers (the processors are full)"]).toBeUndefined();
});
