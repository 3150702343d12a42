import { randomUUID } from "node:crypto";
import { testRedis } from "@video-to-json/testing";
import { Queue, RedisQueueBackend } from "bullmq";
import { Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";
import { queueUnderTest, type RunJob } from "../testing/queue.harness.ts";

/** Runs until its signal aborts, then fails with the signal's reason. */
const untilAborted: RunJob = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const jobIds = (count: number) => Array.from({ length: count }, () => randomUUID());

test("every job runs once, and its wait gets its progress in order", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  // A look-up may find the job finished before its events arrive.
  const completions = under.completions({ lookEveryMs: 100_000 });
  await under.ready();
  const runs: string[] = [];
  under.worker(async (jobId, { progress }) => {
    runs.push(jobId);
    progress({ stage: "obtaining" });
    progress({ stage: "analysing", attempt: 1 });
    progress({ stage: "analysing", attempt: 2 });
    under.finished.add(jobId);
  });
  const ids = jobIds(30);
  const received = new Map<string, unknown[]>(ids.map((jobId) => [jobId, []]));
  for (const jobId of ids) completions.watch(jobId, (progress) => received.get(jobId)?.push(progress));
  const waits = ids.map((jobId) => completions.wait(jobId, { deadline: new Date(Date.now() + 20_000) }));
  await Promise.all(ids.map((jobId) => queue.enqueue(jobId)));
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["finished"]));
  expect(runs.toSorted()).toEqual(ids.toSorted());
  const stages = [{ stage: "obtaining" }, { stage: "analysing", attempt: 1 }, { stage: "analysing", attempt: 2 }];
  for (const progress of received.values()) expect(progress).toEqual(stages);
  expect(under.errors).toEqual([]);
});

test("a run that throws is reported, its ticket is forgotten, and its error never reaches Redis", async () => {
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
  await expect.poll(() => runs).toBe(1);
  await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
  expect(under.errors[0]).toMatchObject({
    message: expect.stringContaining(jobId),
    cause: { message: "the secret reason" },
  });
  expect(await under.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
  const redis = new Redis(url);
  const events = JSON.stringify(await redis.xrange(`${prefix}:extractions:events`, "-", "+"));
  redis.disconnect();
  expect(events).toContain(jobId);
  expect(events).not.toContain("secret");

  await queue.requeue([jobId]);
  await expect.poll(() => runs).toBe(2);
});

test("a run that throws can run again within seconds, also when the clock of its worker is an hour ahead", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 3_600_000);
  onTestFinished(() => clock.mockRestore());
  const ahead = under.worker(async () => {
    throw new Error("broken");
  });
  const [jobId = ""] = jobIds(1);
  await queue.enqueue(jobId);
  await expect.poll(() => under.errors.length).toBe(1);
  await ahead.close(0);
  clock.mockRestore();
  const ran: string[] = [];
  under.worker(async (id) => void ran.push(id));
  await queue.requeue(await queue.missing([jobId]));
  await expect.poll(() => ran).toEqual([jobId]);
});

test("a closing worker finishes its jobs within the grace and takes no others", async () => {
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
  // The liveness probe must not restart a worker that is draining.
  expect(worker.isConsuming()).toBe(true);
  await queue.enqueue(late);
  finish.resolve();
  await closed;
  expect({ runs, aborted }).toEqual({ runs: [running], aborted: false });
  expect(await under.counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
  expect(await queue.missing([running, late])).toEqual([running]);
});

test("a job that still runs after the grace is aborted, and another worker takes it at once", async () => {
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

test("a run that ignores its signal delays the shutdown and the other worker by seconds only", async () => {
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

test("losing a job's lock aborts the run, and the job stays with the other worker", async () => {
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
  await under.ready();

  const redis = new Redis(url);
  await redis.set(`${prefix}:extractions:${jobId}:lock`, "another worker");
  await expect.poll(() => reasons).toEqual([expect.objectContaining({ message: expect.stringContaining("lost") })]);
  await expect.poll(() => loser.running()).toBe(0);
  expect(await queue.missing([jobId])).toEqual([]);

  // The other worker's lock expires, as after its death: the job runs again.
  await redis.pexpire(`${prefix}:extractions:${jobId}:lock`, 1);
  await expect.poll(() => winner.running() + loser.running()).toBe(1);
  redis.disconnect();
  finish.resolve();
});

test("a ticket without a valid id is removed and reported, and the worker continues", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const ran: string[] = [];
  under.worker(async (jobId) => void ran.push(jobId));
  const raw = new Queue("extractions", { connection: { url }, prefix });
  for (const data of [null, 7, "text", {}]) await raw.add("hostile", data);
  await raw.add("hostile", {}, { jobId: "../../etc/passwd" });
  const [jobId = ""] = jobIds(1);
  await queue.enqueue(jobId);
  await expect.poll(() => ran).toEqual([jobId]);
  await expect.poll(() => under.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
  expect(under.errors[0]?.message).toBe("A ticket in the queue has no valid id.");
  await raw.close();
});

test("a worker is consuming while it polls or is busy, and not after a minute without a poll", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const worker = under.worker(untilAborted, 1);
  await under.ready();
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
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

test("a worker whose poll never returns is not consuming, while Redis answers and another worker continues", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const hang = vi
    .spyOn(RedisQueueBackend.prototype, "moveToActive")
    .mockImplementationOnce(() => new Promise(() => undefined));
  onTestFinished(() => hang.mockRestore());
  const now = performance.now.bind(performance);
  let passedMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  onTestFinished(() => clock.mockRestore());

  const stuck = under.worker(untilAborted, 1);
  await expect.poll(() => hang.mock.calls.length).toBe(1);
  const isConsumingAfter = (ms: number) => {
    passedMs = ms;
    const isConsuming = stuck.isConsuming();
    passedMs = 0;
    return isConsuming;
  };
  // False only after the worker has connected.
  await expect.poll(() => isConsumingAfter(31_000)).toBe(false);
  expect(isConsumingAfter(29_000)).toBe(true);

  const ran: string[] = [];
  const other = under.worker(async (jobId) => void ran.push(jobId), 1);
  passedMs = 31_000;
  await expect.poll(other.isConsuming).toBe(true);
  const jobId = randomUUID();
  await queue.enqueue(jobId);
  await expect.poll(() => ran).toEqual([jobId]);
  expect(stuck.isConsuming()).toBe(false);
});
