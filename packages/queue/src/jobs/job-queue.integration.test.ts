import { randomUUID } from "node:crypto";
import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { ownRedis, queueUnderTest, untilItAnswers } from "../testing/queue.harness.ts";

test("a job enqueued twice, by two processes, waits once", async () => {
  await using under = queueUnderTest(testRedis());
  const [one, other] = [under.queue(), under.queue()];
  const jobId = randomUUID();
  await Promise.all([one.enqueue(jobId), other.enqueue(jobId)]);
  await one.enqueue(jobId);
  expect(await under.counts()).toEqual({ waiting: 1, active: 0, delayed: 0 });
});

test("an invalid job id is rejected before it reaches the queue", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  for (const jobId of ["", "0", "1:2", "x".repeat(36), `${randomUUID()}\n`]) {
    await expect(queue.enqueue(jobId)).rejects.toThrow(TypeError);
  }
  expect(await under.counts()).toEqual({ waiting: 0, active: 0, delayed: 0 });
});

test("a ticket is missing if it neither waits nor runs, and also after its run has thrown", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const [running, failing, waiting] = [randomUUID(), randomUUID(), randomUUID()];
  const [unknown, done, blocking] = [randomUUID(), randomUUID(), randomUUID()];
  const started = Promise.withResolvers<void>();
  const first = under.worker(async (jobId, { signal }) => {
    if (jobId === done) return;
    if (jobId === failing) throw new Error("failed on purpose");
    started.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }, 2);
  await queue.enqueue(done);
  await expect.poll(() => queue.missing([done])).toEqual([done]);
  await queue.enqueue(running);
  await started.promise;
  await queue.enqueue(failing);
  await expect.poll(() => queue.missing([failing])).toEqual([failing]);
  await queue.enqueue(blocking);
  await expect.poll(() => first.running()).toBe(2);
  await queue.enqueue(waiting);

  expect(await queue.missing([running, failing, waiting, unknown, done])).toEqual([failing, unknown, done]);
  expect(await queue.missing([])).toEqual([]);
  expect(await queue.count()).toBe(3);
});

test("every key in Redis has the prefix, and a finished job leaves nothing but its events", async () => {
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

test("without Redis every call rejects within two seconds; when Redis is back, calls work again", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await under.ready();
  await redis.kill();

  const began = Date.now();
  const jobId = randomUUID();
  const calls = [
    queue.enqueue(jobId),
    queue.missing([jobId]),
    queue.count(),
    queue.requeue([jobId]),
    queue.addTickets(1),
  ];
  const answers = await Promise.allSettled(calls);
  expect(answers.map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
  expect(Date.now() - began).toBeLessThan(2_500);

  await redis.restart();
  await expect
    .poll(() =>
      queue.enqueue(jobId).then(
        () => under.counts(),
        () => undefined,
      ),
    )
    .toMatchObject({ waiting: 1 });
});

test("a Redis that accepts connections but never answers delays a call by two seconds at most", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await under.ready();
  process.kill(redis.pid, "SIGSTOP");
  const began = Date.now();
  await expect(queue.enqueue(randomUUID())).rejects.toThrow("took longer");
  expect(Date.now() - began).toBeLessThan(2_500);
  process.kill(redis.pid, "SIGCONT");
  await untilItAnswers(queue);
});

test("an outage is reported once, not at every attempt to reconnect", async () => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await under.ready();
  await redis.kill();
  await expect(queue.missing([randomUUID()])).rejects.toThrow();
  await expect(queue.missing([randomUUID()])).rejects.toThrow();
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);
  expect(new Set(under.errors.map(({ message }) => message)).size).toBe(under.errors.length);
});

test("a lost ticket is put back before all others, also where Redis has kept a part of it", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const [waiting, lost] = [randomUUID(), randomUUID()];
  for (const ticket of [lost, waiting]) await queue.enqueue(ticket);
  const redis = new Redis(url);
  await redis.lrem(`${prefix}:extractions:wait`, 0, lost);
  redis.disconnect();
  expect(await queue.missing([waiting, lost])).toEqual([lost]);
  await queue.requeue([lost]);
  const started: string[] = [];
  under.worker(async (ticket) => void started.push(ticket), 1);
  await expect.poll(() => started).toEqual([lost, waiting]);
});

test("a ticket whose data Redis has lost still wakes a worker, and leaves nothing", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const ticket = randomUUID();
  await queue.enqueue(ticket);
  const redis = new Redis(url);
  await redis.del(`${prefix}:extractions:${ticket}`);
  const started: string[] = [];
  under.worker(async (id) => void started.push(id), 1);
  await expect.poll(() => started).toEqual([ticket]);
  await expect.poll(() => redis.keys(`${prefix}:extractions:${ticket}*`)).toEqual([]);
  redis.disconnect();
});

test("tickets are added for jobs whose own are lost", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  await queue.addTickets(0);
  await queue.addTickets(3);
  expect(await queue.count()).toBe(3);
  const started: string[] = [];
  under.worker(async (ticket) => void started.push(ticket));
  await expect.poll(() => started.length).toBe(3);
});

test("old data of tickets that left the queue is deleted; data of young and of running tickets stays", async () => {
  await using server = await ownRedis();
  await using under = queueUnderTest({ url: server.url, prefix: "p[1]" });
  const queue = under.queue();
  const redis = new Redis(server.url);
  const [young, old, running] = [randomUUID(), randomUUID(), randomUUID()];
  await queue.enqueue(young);
  const longAgo = Date.now() - 3_600_000;
  for (const id of [old, running]) await redis.hset(`p[1]:extractions:${id}`, { timestamp: longAgo });
  await redis.set(`p[1]:extractions:${running}:lock`, "token");
  await redis.zadd("p[1]:extractions:failed", longAgo, old);
  await redis.hset(`p1:extractions:${old}`, { timestamp: longAgo });
  const before = await redis.keys("*");
  expect(await queue.removeLeftovers({ minAgeMs: 600_000, stop: AbortSignal.timeout(30_000) })).toBe(1);
  const after = new Set(await redis.keys("*"));
  redis.disconnect();
  const expected = ["extractions:failed", `extractions:${old}`];
  const gone = before.filter((key) => !after.has(key));
  expect(gone.toSorted()).toEqual(expected.map((name) => `p[1]:${name}`).toSorted());
});
