import { randomUUID } from "node:crypto";
import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { ownRedis, queueUnderTest } from "./test-queue.harness.ts";

test("a job enqueued twice, by two processes, waits once", async () => {
  await using under = queueUnderTest(testRedis());
  const [one, other] = [under.queue(), under.queue()];
  const jobId = randomUUID();
  await Promise.all([one.enqueue(jobId), other.enqueue(jobId)]);
  await one.enqueue(jobId);
  expect(await one.counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
});

test("what is no job id is refused before it reaches the queue", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  for (const jobId of ["", "0", "1:2", "x".repeat(36), `${randomUUID()}\n`]) {
    await expect(queue.enqueue(jobId)).rejects.toThrow(TypeError);
  }
  expect(await queue.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
});

test("missing ids are those that neither wait, nor run, nor are to be tried again", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const [running, failing, waiting] = [randomUUID(), randomUUID(), randomUUID()];
  const [unknown, done] = [randomUUID(), randomUUID()];
  const started = Promise.withResolvers<void>();
  const first = under.worker(async (jobId, { signal }) => {
    if (jobId === done) return;
    if (jobId === failing) throw new Error("no luck");
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  await queue.enqueue(done);
  await expect.poll(() => queue.missing([done])).toEqual([done]);
  await queue.enqueue(running);
  await started.promise;
  await queue.setGlobalConcurrency(2);
  await queue.enqueue(failing);
  await expect.poll(() => queue.counts()).toMatchObject({ delayed: 1 });
  await queue.pauseFor(60_000);
  await queue.enqueue(waiting);

  expect(await queue.missing([running, failing, waiting, unknown, done])).toEqual([unknown, done]);
  expect(await queue.missing([])).toEqual([]);
  expect(first.running()).toBe(1);
});

test("a waiting job can be removed, a running one is left alone", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const [running, waiting] = [randomUUID(), randomUUID()];
  const started = Promise.withResolvers<void>();
  under.worker(async (_, { signal }) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }, 1);
  await queue.enqueue(running);
  await started.promise;
  await queue.enqueue(waiting);
  await queue.remove(waiting);
  await queue.remove(running);
  await queue.remove(randomUUID());
  expect(await queue.missing([running, waiting])).toEqual([waiting]);
});

test("nothing stands in Redis outside the prefix, and nothing but the stream of events once a job is done", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest({ url: redis.url, prefix: "p" });
  const queue = under.queue();
  under.worker(async () => undefined);
  const jobIds = [randomUUID(), randomUUID()];
  for (const jobId of jobIds) await queue.enqueue(jobId);
  await expect.poll(() => queue.missing(jobIds)).toEqual(jobIds);

  const client = new Redis(redis.url);
  const keys = await client.keys("*");
  client.disconnect();
  expect(keys.filter((key) => !key.startsWith("p:"))).toEqual([]);
  expect(keys.filter((key) => jobIds.some((jobId) => key.includes(jobId)))).toEqual([]);
  expect(keys).not.toContain("p:extractions:completed");
});

test("while Redis is away every question fails within two seconds, and works again when it is back", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await queue.ready();
  await redis.kill();

  const began = Date.now();
  const jobId = randomUUID();
  const questions = [queue.enqueue(jobId), queue.missing([jobId]), queue.pauseFor(10), queue.counts(), queue.ready()];
  const answers = await Promise.allSettled(questions);
  expect(answers.map(({ status }) => status)).toEqual(questions.map(() => "rejected"));
  expect(Date.now() - began).toBeLessThan(2_500);

  await redis.restart();
  await expect
    .poll(() =>
      queue.enqueue(jobId).then(
        () => queue.counts(),
        () => undefined,
      ),
    )
    .toMatchObject({ waiting: 1 });
});

test("a Redis that accepts but never answers holds a request up for two seconds at most", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await queue.ready();
  process.kill(redis.pid, "SIGSTOP");
  const began = Date.now();
  await expect(queue.enqueue(randomUUID())).rejects.toThrow("took longer");
  expect(Date.now() - began).toBeLessThan(2_500);
  process.kill(redis.pid, "SIGCONT");
  await expect
    .poll(() =>
      queue.ready().then(
        () => "ready",
        () => "away",
      ),
    )
    .toBe("ready");
});

test("the fault of an outage is reported, not once for every attempt to reconnect", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await queue.ready();
  await redis.kill();
  await expect(queue.ready()).rejects.toThrow();
  await expect(queue.ready()).rejects.toThrow();
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);
  expect(new Set(under.errors.map(({ message }) => message)).size).toBe(under.errors.length);
});

test("a global concurrency that is no whole number from 1 is refused", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  for (const jobs of [0, -1, 1.5, Number.NaN])
    await expect(queue.setGlobalConcurrency(jobs)).rejects.toThrow(RangeError);
});
