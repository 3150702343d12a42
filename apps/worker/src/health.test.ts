import { PermitLost } from "@video-to-json/queue";
import { type Dependency, openLog, openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { openHealth } from "./health.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const job = (id: string) => ({ id });
const full = Object.assign(new Error("too many open files"), { code: "EMFILE" });
const unknown = new Error("unknown");

/** A worker of four places whose parts fail as the test says. `calls` are the calls of its queue. */
async function openWorker({ hasOther = true, faults = new Map<string, Error>() } = {}) {
  const calls: (number | "pause")[] = [];
  const fails = async (name: string) => {
    const fault = faults.get(name);
    if (fault) throw fault;
  };
  const dependency = (name: Dependency["name"]): Dependency => {
    return { name, address: name, isRequired: true, check: () => fails(name) };
  };
  const metrics = openWorkerMetrics();
  const log = openLog(metrics, { level: "silent", name: "test" });
  const parts = [dependency("scratch"), dependency("provider")];
  const health = openHealth({ metrics, log, provePrograms: () => fails("programs") }, parts);
  onTestFinished(() => health.close());
  const start = async () => {
    const worker = { pause: () => void calls.push("pause"), resume: (places: number) => void calls.push(places) };
    health.control({ worker, places: 4, tell: async () => {}, hasOther: async () => hasOther });
    await vi.advanceTimersByTimeAsync(1);
  };
  return { health, faults, calls, start };
}

test("a worker takes no job before it has proved that it can work", async () => {
  const faults = new Map([["scratch", new Error("EROFS")]]);
  const { health, calls, start } = await openWorker({ faults });
  await start();
  expect([health.isTaking(), calls]).toEqual([false, []]);
  faults.clear();
  await vi.advanceTimersByTimeAsync(2000);
  expect([health.isTaking(), calls]).toEqual([true, [4]]);
});

test("a worker that fails its test stops taking jobs, says why, and takes all again once it passes", async () => {
  const { health, faults, calls, start } = await openWorker();
  await start();
  const taking = health.taking();
  faults.set("scratch", new Error("no room"));
  await vi.advanceTimersByTimeAsync(2000);
  expect([taking.aborted, (await health.check()).failed[0]?.reason]).toEqual([true, "no room"]);
  faults.clear();
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls).toEqual([4, "pause", 4]);
});

test("a run that failed while a program does not start is the worker's fault, and the worker tests itself at once", async () => {
  const { health, faults, start } = await openWorker();
  await start();
  faults.set("programs", new Error("ffmpeg cannot start"));
  expect(await health.isAtFault(job("a"), unknown)).toBe(true);
  expect([health.isTaking(), (await health.check()).failed[0]?.dependency]).toEqual([false, "programs"]);
});

test("a worker whose ffmpeg breaks while no run needs it stops taking jobs within 35 seconds, and probed ones leave", async () => {
  const { health, faults, start } = await openWorker();
  await start();
  faults.set("programs", new Error("ffmpeg cannot start"));
  const leaving = health.leaving();
  await vi.advanceTimersByTimeAsync(35_000);
  expect([health.isTaking(), leaving.aborted]).toEqual([false, true]);
  // The run that leaves is the worker's fault.
  expect(await health.isAtFault(job("a"), leaving.reason)).toBe(true);
});

test("an error that only the machine can cause is the worker's fault although its test passes", async () => {
  const { health, calls, start } = await openWorker();
  await start();
  expect(await health.isAtFault(job("a"), new Error("failed", { cause: full }))).toBe(true);
  expect(calls).toEqual([4, "pause"]);
});

test("failed runs of one job pause no worker; those of different jobs pause it longer and longer, until one ends", async () => {
  const { health, calls, start } = await openWorker();
  await start();
  for (let runs = 0; runs < 3; runs++) expect(await health.isAtFault(job("a"), unknown)).toBe(false);
  expect(health.isTaking()).toBe(true);
  const lengths: number[] = [];
  for (const id of ["b", "c", "d"]) {
    expect(await health.isAtFault(job(id), unknown)).toBe(false);
    const from = performance.now();
    while (!health.isTaking()) await vi.advanceTimersByTimeAsync(100);
    lengths.push(Math.round((performance.now() - from) / 1000));
  }
  expect(lengths).toEqual([1, 2, 4]);
  // After a pause it runs one job, and all once a run has ended its job.
  expect(calls.slice(-2)).toEqual(["pause", 1]);
  health.hasEndedJob();
  expect(calls.at(-1)).toBe(4);
  expect(await health.isAtFault(job("e"), unknown)).toBe(false);
  expect(health.isTaking()).toBe(true);
});

test.each([
  ["leave for another worker", { hasOther: true }, true],
  ["wait where they are without another worker", { hasOther: false }, false],
])("jobs that a worker without a way to the provider runs %s", async (_, options, leaves) => {
  const { health, faults, start } = await openWorker(options);
  await start();
  const held = { signal: new AbortController().signal, release: () => {} };
  const permits = health.guard({ take: async () => held });
  const permit = await permits.take({ accountId: "account", pays: false }, held.signal);
  faults.set("provider", new Error("ECONNREFUSED"));
  health.doubt();
  await vi.advanceTimersByTimeAsync(5000);
  expect([health.isTaking(), permit.signal.aborted]).toEqual([false, leaves]);
  if (leaves) expect(permit.signal.reason).toBeInstanceOf(PermitLost);
});
