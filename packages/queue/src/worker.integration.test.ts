import { randomUUID } from "node:crypto";
import { testRedis } from "@video-to-json/testing";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";
import type { RunJob } from "./in-flight-jobs.ts";
import { queueUnderTest } from "./test-queue.harness.ts";

/** Runs until aborted, then lets go with the signal's reason. */
const untilAborted: RunJob = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const jobIds = (count: number) => Array.from({ length: count }, () => randomUUID());

test("every job is run once, and the waiter hears its progress in order", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const completions = under.completions();
  await completions.ready();
  const runs: string[] = [];
  under.worker(async (jobId, { progress }) => {
    runs.push(jobId);
    progress({ stage: "obtaining" });
    progress({ stage: "analysing", attempt: 1 });
    progress({ stage: "analysing", attempt: 2 });
    under.ended.add(jobId);
  });
  const ids = jobIds(30);
  const heard = new Map<string, unknown[]>(ids.map((jobId) => [jobId, []]));
  const waits = ids.map((jobId) =>
    completions.wait(jobId, {
      deadline: new Date(Date.now() + 20_000),
      onProgress: (progress) => heard.get(jobId)?.push(progress),
    }),
  );
  await Promise.all(ids.map((jobId) => queue.enqueue(jobId)));
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["ended"]));
  expect(runs.toSorted()).toEqual(ids.toSorted());
  const stages = [{ stage: "obtaining" }, { stage: "analysing", attempt: 1 }, { stage: "analysing", attempt: 2 }];
  for (const progress of heard.values()) expect(progress).toEqual(stages);
  expect(under.errors).toEqual([]);
});

test("a run that throws is tried five times, later each time, then forgotten; Redis never learns why", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  let runs = 0;
  under.worker(async () => {
    runs += 1;
    throw new Error("the secret reason");
  });
  const [jobId = ""] = jobIds(1);
  await queue.enqueue(jobId);
  const raw = new Queue("extractions", { connection: { url }, prefix });
  const pauses: number[] = [];
  while (pauses.length < 4) {
    await expect.poll(() => raw.getDelayedCount()).toBe(1);
    const [waiting] = await raw.getDelayed();
    pauses.push(waiting?.delay ?? 0);
    expect(runs).toBe(pauses.length);
    await waiting?.promote();
  }
  await raw.close();
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000]);
  await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
  expect(runs).toBe(5);
  expect(under.errors[0]).toMatchObject({
    message: expect.stringContaining(jobId),
    cause: { message: "the secret reason" },
  });
  const redis = new Redis(url);
  const events = JSON.stringify(await redis.xrange(`${prefix}:extractions:events`, "-", "+"));
  redis.disconnect();
  expect(events).toContain(jobId);
  expect(events).not.toContain("secret");

  await queue.enqueue(jobId);
  await expect.poll(() => runs).toBe(6);
});

test("no more jobs run at once over all workers than the global concurrency says, and all get done", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  await queue.setGlobalConcurrency(3);
  let running = 0;
  let most = 0;
  const done = new Set<string>();
  const run: RunJob = async (jobId) => {
    running += 1;
    most = Math.max(most, running);
    await queue.counts();
    await queue.counts();
    running -= 1;
    done.add(jobId);
  };
  const ids = jobIds(60);
  await Promise.all(ids.map((jobId) => queue.enqueue(jobId)));
  under.worker(run, 4);
  under.worker(run, 4);
  await expect.poll(() => done.size).toBe(ids.length);
  expect(most).toBe(3);
});

test("a slot that a stopping worker frees is filled by another", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  await queue.setGlobalConcurrency(1);
  const started = Promise.withResolvers<void>();
  const stopping = under.worker(async (jobId, context) => {
    started.resolve();
    await untilAborted(jobId, context);
  });
  const ids = jobIds(2);
  for (const jobId of ids) await queue.enqueue(jobId);
  await started.promise;
  const done: string[] = [];
  under.worker(async (jobId) => void done.push(jobId));
  await stopping.close(0);
  await expect.poll(() => done.toSorted()).toEqual(ids.toSorted());
});

test("a pause holds every worker from starting, lets running jobs go on, and is never shortened", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const startedAt = new Map<string, number>();
  const finish = Promise.withResolvers<void>();
  const [running = "", ...waiting] = jobIds(7);
  const run: RunJob = async (jobId) => {
    startedAt.set(jobId, Date.now());
    if (jobId === running) await finish.promise;
  };
  under.worker(run, 2);
  under.worker(run, 2);
  await queue.enqueue(running);
  await expect.poll(() => startedAt.size).toBe(1);

  const pausedAt = Date.now();
  await queue.pauseFor(1_500);
  await queue.pauseFor(100);
  await queue.pauseFor(0);
  await queue.pauseFor(Number.NaN);
  await Promise.all(waiting.map((jobId) => queue.enqueue(jobId)));
  finish.resolve();
  await expect.poll(() => queue.missing([running])).toEqual([running]);
  expect(startedAt.size).toBe(1);

  await expect.poll(() => startedAt.size).toBe(7);
  startedAt.delete(running);
  const first = Math.min(...startedAt.values()) - pausedAt;
  expect(first).toBeGreaterThanOrEqual(1_500);
  expect(first).toBeLessThan(4_000);
});

test("a short pause holds too, even if a job was started just before", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const startedAt: number[] = [];
  under.worker(async () => void startedAt.push(Date.now()));
  const [before = "", after = ""] = jobIds(2);
  await queue.enqueue(before);
  await expect.poll(() => startedAt.length).toBe(1);
  await queue.pauseFor(300);
  const pausedAt = Date.now();
  await queue.enqueue(after);
  await expect.poll(() => startedAt.length).toBe(2);
  expect(startedAt[1]).toBeGreaterThanOrEqual(pausedAt + 290);
});

test("a closing worker lets its jobs end within the grace and takes no others", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const finish = Promise.withResolvers<void>();
  const runs: string[] = [];
  let aborted = false;
  const worker = under.worker(async (jobId, { signal }) => {
    runs.push(jobId);
    await finish.promise;
    aborted = signal.aborted;
  }, 2);
  const [running = "", late = ""] = jobIds(2);
  await queue.enqueue(running);
  await expect.poll(() => worker.running()).toBe(1);
  const closed = worker.close(30_000);
  // Told to stop, it takes none, as it should: nothing may end it before its jobs have ended.
  expect(worker.isConsuming()).toBe(true);
  await queue.enqueue(late);
  finish.resolve();
  await closed;
  expect({ runs, aborted }).toEqual({ runs: [running], aborted: false });
  expect(await queue.counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
  expect(await queue.missing([running, late])).toEqual([running]);
});

test("a job still running after the grace is aborted and handed to another worker at once", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const ids = jobIds(3);
  const closing = under.worker(untilAborted, 3);
  for (const jobId of ids) await queue.enqueue(jobId);
  await expect.poll(() => closing.running()).toBe(3);
  const taken = new Map<string, number>();
  under.worker(async (jobId) => void taken.set(jobId, Date.now()), 3);
  const began = Date.now();
  await closing.close(50);
  await expect.poll(() => [...taken.keys()].toSorted()).toEqual(ids.toSorted());
  expect(Math.max(...taken.values()) - began).toBeLessThan(1_500);
  expect(closing.running()).toBe(0);
  expect(under.errors).toEqual([]);
});

test("a run that does not heed its signal delays neither the shutdown nor the other worker by more than seconds", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const [jobId = ""] = jobIds(1);
  const closing = under.worker(() => new Promise(() => undefined), 1);
  await queue.enqueue(jobId);
  await expect.poll(() => closing.running()).toBe(1);
  const taken: string[] = [];
  under.worker(async (id) => void taken.push(id));
  const began = Date.now();
  await closing.close(0);
  await expect.poll(() => taken).toEqual([jobId]);
  expect(Date.now() - began).toBeLessThan(5_000);
});

test("a worker that has lost a job's lock is told by the job's signal, and leaves the job to the other", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const [jobId = ""] = jobIds(1);
  const reasons: unknown[] = [];
  const loser = under.worker(async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    reasons.push(signal.reason);
  }, 1);
  await queue.enqueue(jobId);
  await expect.poll(() => loser.running()).toBe(1);
  const finish = Promise.withResolvers<void>();
  const winner = under.worker(() => finish.promise, 1);
  await winner.ready();

  const redis = new Redis(url);
  await redis.set(`${prefix}:extractions:${jobId}:lock`, "someone else");
  await expect.poll(() => reasons).toEqual([expect.objectContaining({ message: expect.stringContaining("lost") })]);
  await expect.poll(() => loser.running()).toBe(0);
  expect(await queue.missing([jobId])).toEqual([]);

  // The other's lock expires, as if it had died: the job is found and run again.
  await redis.pexpire(`${prefix}:extractions:${jobId}:lock`, 1);
  await expect.poll(() => winner.running() + loser.running()).toBe(1);
  redis.disconnect();
  finish.resolve();
});

test("a job that carries no job id is thrown out and reported, and the worker goes on", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const ran: string[] = [];
  under.worker(async (jobId) => void ran.push(jobId));
  const raw = new Queue("extractions", { connection: { url }, prefix });
  for (const data of [null, 7, "text", {}, { jobId: 7 }, { jobId: "../../etc/passwd" }]) await raw.add("hostile", data);
  const [jobId = ""] = jobIds(1);
  await queue.enqueue(jobId);
  await expect.poll(() => ran).toEqual([jobId]);
  await expect.poll(() => queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
  expect(under.errors[0]?.message).toBe("A job in the queue carries no job id.");
  await raw.close();
});

test("a worker is consuming while it asks for jobs or is busy, and not once it has not asked for long", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const worker = under.worker(untilAborted, 1);
  await worker.ready();
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 60_000);
  onTestFinished(() => clock.mockRestore());
  expect(worker.isConsuming()).toBe(false);
  await expect.poll(worker.isConsuming).toBe(true);

  await queue.enqueue(randomUUID());
  await expect.poll(worker.running).toBe(1);
  clock.mockImplementation(() => now() + 120_000);
  expect(worker.isConsuming()).toBe(false);
  await expect.poll(worker.isConsuming).toBe(true);
  expect(worker.running()).toBe(1);
});

test("a worker whose asking for a job never comes back is not consuming, while Redis answers it and another goes on", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  // The library's own hang: it waits for ever for what it has asked.
  const asks = Worker.prototype as unknown as { moveToActive(): Promise<unknown> };
  const hang = vi.spyOn(asks, "moveToActive").mockImplementationOnce(() => new Promise(() => undefined));
  onTestFinished(() => hang.mockRestore());
  const stuck = under.worker(untilAborted, 1);
  await stuck.ready();
  await expect.poll(() => hang.mock.calls.length).toBeGreaterThan(0);
  const ran: string[] = [];
  const other = under.worker(async (jobId) => void ran.push(jobId), 1);
  await other.ready();
  expect(stuck.isConsuming()).toBe(true);

  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 31_000);
  onTestFinished(() => clock.mockRestore());
  await expect.poll(other.isConsuming).toBe(true);
  const jobId = randomUUID();
  await queue.enqueue(jobId);
  await expect.poll(() => ran).toEqual([jobId]);
  await stuck.ready();
  expect(stuck.isConsuming()).toBe(false);
});
