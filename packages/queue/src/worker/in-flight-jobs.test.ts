import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createInFlightJobs, type RunTicket, TicketReturned } from "./in-flight-jobs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ignoreProgress = () => undefined;
const ignoringAbort: RunTicket = () => new Promise(() => undefined);
const stoppingOnAbort: RunTicket = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a run that returns is done, and one that throws has failed, even if it throws at once", async () => {
  expect(await createInFlightJobs(async () => "job").start("a", ignoreProgress)).toEqual({ is: "done", jobId: "job" });
  const error = new Error("no");
  const throwing = () => {
    throw error;
  };
  expect(await createInFlightJobs(throwing).start("a", ignoreProgress)).toEqual({ is: "failed", error });
});

test("losing a job aborts its run, and the outcome is lost however the run ends", async () => {
  for (const run of [
    stoppingOnAbort,
    ignoringAbort,
    (async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "job";
    }) satisfies RunTicket,
  ]) {
    const runs = createInFlightJobs(run);
    const outcome = runs.start("a", ignoreProgress);
    runs.lose("a");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toEqual({ is: "lost" });
  }
});

test("requeueing aborts the runs; a run that still succeeds is done", async () => {
  const runs = createInFlightJobs(async (jobId, context) => {
    if (jobId === "quick") await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    else await stoppingOnAbort(jobId, context);
    return "job";
  });
  const [slow, quick] = [runs.start("slow", ignoreProgress), runs.start("quick", ignoreProgress)];
  runs.requeueAll();
  expect(await slow).toEqual({ is: "requeue" });
  expect(await quick).toEqual({ is: "done", jobId: "job" });
  expect(runs.count()).toBe(0);
});

test("a run that ignores its signal is requeued after two seconds, and still counts as running", async () => {
  const runs = createInFlightJobs(ignoringAbort);
  const outcome = runs.start("a", ignoreProgress);
  runs.requeueAll();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await outcome).toEqual({ is: "requeue" });
  expect(runs.count()).toBe(1);
});

test("after stopStarting, a run that has no job yet ends, and its ticket is requeued", async () => {
  const runs = createInFlightJobs(async (_, { stopping }) => {
    await new Promise((resolve) => stopping.addEventListener("abort", resolve));
    throw new TicketReturned();
  });
  const outcome = runs.start("a", ignoreProgress);
  runs.stopStarting();
  expect(await outcome).toEqual({ is: "requeue" });
});

test("after stopStarting, a new job is requeued without a run", async () => {
  let started = 0;
  const runs = createInFlightJobs(async () => {
    started += 1;
  });
  runs.stopStarting();
  expect(await runs.start("a", ignoreProgress)).toEqual({ is: "requeue" });
  expect(started).toBe(0);
});

test("a job delivered again while it still runs here is requeued, and its first run aborted", async () => {
  let started = 0;
  const runs = createInFlightJobs(async (jobId, context) => {
    started += 1;
    await stoppingOnAbort(jobId, context);
  });
  const first = runs.start("a", ignoreProgress);
  const again = runs.start("a", ignoreProgress);
  expect(await first).toEqual({ is: "lost" });
  expect(await again).toEqual({ is: "requeue" });
  expect(started).toBe(1);
});

test("finished waits for all runs, within its time limit", async () => {
  const finish = Promise.withResolvers<void>();
  const runs = createInFlightJobs(() => finish.promise.then(() => undefined));
  void runs.start("a", ignoreProgress);
  let over = false;
  const long = runs.finished(60_000).then(() => {
    over = true;
  });
  const short = runs.finished(10);
  await vi.advanceTimersByTimeAsync(10);
  await short;
  expect(over).toBe(false);
  finish.resolve();
  await long;
  await createInFlightJobs(stoppingOnAbort).finished(60_000);
});
