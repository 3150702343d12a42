import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "@video-to-json/database";
import { openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { runSharedTasks, type Task } from "./run-tasks.ts";

const times = { intervalMs: 20, leaseMs: 60_000 };

/** A database for one test. `work` starts a worker with these tasks, until its `close` or the end of the test. */
async function openWorkers() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 10, applicationName: "test tasks" });
  const closes: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await Promise.all(closes.map((close) => close()));
    await database.close();
    await drop();
  });
  const log = { info: vi.fn(), warn: vi.fn() };
  const work = (...tasks: Task[]) => {
    const closing = new AbortController();
    const ended = runSharedTasks(
      { db: database.db, log, metrics: openWorkerMetrics(), roundMs: 10 },
      tasks,
      closing.signal,
    );
    const close = () => {
      closing.abort();
      return ended;
    };
    closes.push(close);
    return { close };
  };
  return { work, warnings: () => log.warn.mock.calls.map(([, message]) => message) };
}

test("of several workers one at a time runs a task, again and again", async () => {
  const { work } = await openWorkers();
  let running = 0;
  let maxRunning = 0;
  let runs = 0;
  const run = async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await sleep(20);
    running--;
    return ++runs;
  };
  for (let worker = 0; worker < 3; worker++) work({ name: "shared", ...times, run });
  await expect.poll(() => runs).toBeGreaterThan(5);
  expect(maxRunning).toBe(1);
});

test("a task that takes long delays no other and is not started twice, even after its lease", async () => {
  const { work } = await openWorkers();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let slowRuns = 0;
  let quickRuns = 0;
  const runSlow = () => {
    slowRuns++;
    return ended;
  };
  work(
    { name: "slow", ...times, leaseMs: 20, run: runSlow },
    { name: "quick", ...times, run: async () => ++quickRuns },
  );
  await expect.poll(() => quickRuns).toBeGreaterThan(5);
  expect(slowRuns).toBe(1);
  end(1);
  await expect.poll(() => slowRuns).toBeGreaterThan(1);
});

test("the task of a worker that hangs is taken over by another after the lease", async () => {
  const { work } = await openWorkers();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const hang = vi.fn(() => ended);
  let taken = 0;
  work({ name: "task", ...times, leaseMs: 100, run: hang });
  await expect.poll(() => hang.mock.calls.length).toBe(1);
  work({ name: "task", ...times, run: async () => ++taken });
  await expect.poll(() => taken).toBeGreaterThan(0);
  end(0);
});

test("a task that fails is logged and runs again", async () => {
  const { work, warnings } = await openWorkers();
  let runs = 0;
  const run = async () => {
    if (++runs < 3) throw new Error("broken");
    return 0;
  };
  work({ name: "task", ...times, run });
  await expect.poll(() => runs).toBeGreaterThan(3);
  expect(warnings()).toEqual(Array(2).fill("maintenance task failed; trying again later"));
});

test("close waits for the running task", async () => {
  const { work } = await openWorkers();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  let isDone = false;
  const { close } = work({
    name: "task",
    ...times,
    run: async () => {
      start();
      await sleep(50);
      isDone = true;
      return 0;
    },
  });
  await started;
  await close();
  expect(isDone).toBe(true);
});
