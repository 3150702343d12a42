import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openJobRuns, type RunJob } from "./in-flight-jobs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = () => undefined;
const heedless: RunJob = () => new Promise(() => undefined);
const heeding: RunJob = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a run that returns is done, one that throws has failed, even if it throws at once", async () => {
  expect(await openJobRuns(async () => undefined).start("a", silent)).toEqual({ is: "done" });
  const error = new Error("no");
  const throwing = () => {
    throw error;
  };
  expect(await openJobRuns(throwing).start("a", silent)).toEqual({ is: "failed", error });
});

test("a lost job's run is told, and nothing more is said about the job, however it ends", async () => {
  for (const run of [
    heeding,
    heedless,
    (async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }) satisfies RunJob,
  ]) {
    const runs = openJobRuns(run);
    const outcome = runs.start("a", silent);
    runs.lose("a");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toEqual({ is: "lost" });
  }
});

test("handing back aborts the runs; one that ends well all the same is done", async () => {
  const runs = openJobRuns(async (jobId, context) => {
    if (jobId === "quick") await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    else await heeding(jobId, context);
  });
  const [slow, quick] = [runs.start("slow", silent), runs.start("quick", silent)];
  runs.handBackAll();
  expect(await slow).toEqual({ is: "handed back" });
  expect(await quick).toEqual({ is: "done" });
  expect(runs.count()).toBe(0);
});

test("a run that does not let go is handed back two seconds after its signal, and still counted", async () => {
  const runs = openJobRuns(heedless);
  const outcome = runs.start("a", silent);
  runs.handBackAll();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await outcome).toEqual({ is: "handed back" });
  expect(runs.count()).toBe(1);
});

test("once no more are started, a job that arrives is handed back unstarted", async () => {
  let started = 0;
  const runs = openJobRuns(async () => {
    started += 1;
  });
  runs.startNoMore();
  expect(await runs.start("a", silent)).toEqual({ is: "handed back" });
  expect(started).toBe(0);
});

test("a job delivered again while it is still run here aborts the first run and is handed back, not run twice", async () => {
  let started = 0;
  const runs = openJobRuns(async (jobId, context) => {
    started += 1;
    await heeding(jobId, context);
  });
  const first = runs.start("a", silent);
  const again = runs.start("a", silent);
  expect(await first).toEqual({ is: "lost" });
  expect(await again).toEqual({ is: "handed back" });
  expect(started).toBe(1);
});

test("the end of all runs is waited for, for as long as is given", async () => {
  const finish = Promise.withResolvers<void>();
  const runs = openJobRuns(() => finish.promise);
  void runs.start("a", silent);
  let over = false;
  const patient = runs.ended(60_000).then(() => {
    over = true;
  });
  const impatient = runs.ended(10);
  await vi.advanceTimersByTimeAsync(10);
  await impatient;
  expect(over).toBe(false);
  finish.resolve();
  await patient;
  await openJobRuns(heeding).ended(60_000);
});
