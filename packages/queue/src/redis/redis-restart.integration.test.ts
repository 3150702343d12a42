import { randomUUID } from "node:crypto";
import { askRedis, startCuttingProxy } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inMs, ownRedis, queueUnderTest, untilItAnswers } from "../testing/queue.harness.ts";

const strays: unknown[] = [];
const recordStray = (stray: unknown) => void strays.push(stray);

beforeAll(() => {
  process.on("warning", recordStray);
  process.on("unhandledRejection", recordStray);
});
afterAll(() => {
  process.off("warning", recordStray);
  process.off("unhandledRejection", recordStray);
  expect(strays).toEqual([]);
});

test("after a failover that leaves the old Redis up as a replica, jobs are queued and run within 20 s", async () => {
  await using old = await ownRedis();
  await using next = await ownRedis();
  await using name = await startCuttingProxy(old.url);
  const replicate = (server: string, of: string) => askRedis(server, `REPLICAOF ${new URL(of).host.replace(":", " ")}`);
  await replicate(next.url, old.url);
  await using under = queueUnderTest({ url: name.url.replace("http", "redis") });
  const queue = under.queue();
  const ran = new Set<string>();
  under.worker(async (jobId) => void ran.add(jobId));
  await under.ready();
  await expect.poll(() => askRedis(next.url, "INFO replication")).toContain("master_link_status:up");

  // Connections of the service stay open, and lead to the old server, which refuses to write.
  await askRedis(next.url, "REPLICAOF NO ONE");
  await replicate(old.url, next.url);
  name.leadTo(next.url);
  const jobId = randomUUID();
  const enqueued = () =>
    queue.enqueue(jobId).then(
      () => true,
      () => false,
    );
  await expect.poll(enqueued, { timeout: 20_000 }).toBe(true);
  await expect.poll(() => ran.has(jobId), { timeout: 20_000 }).toBe(true);
});

test.concurrent.for([{ empty: false }, { empty: true }])(
  "after a restart of Redis (%o) workers get new jobs and waits get their completions",
  async ({ empty }, { expect }) => {
    await using redis = await ownRedis();
    await using under = queueUnderTest(redis);
    const queue = under.queue();
    const completions = under.completions();
    under.worker(async (jobId) => void under.finished.add(jobId));
    await under.ready();
    await redis.kill();
    const away = randomUUID();
    const wait = completions.wait(away, { deadline: inMs(30_000) });
    await expect(queue.enqueue(away)).rejects.toThrow();
    await redis.restart({ empty });

    // As the sweep does.
    await expect
      .poll(() =>
        queue.missing([away]).then(
          (ids) => Promise.all(ids.map(queue.enqueue)),
          () => [],
        ),
      )
      .toHaveLength(1);
    expect(await wait).toBe("finished");

    const after = randomUUID();
    const began = Date.now();
    const woken = completions.wait(after, { deadline: inMs(30_000) });
    await queue.enqueue(after);
    expect(await woken).toBe("finished");
    expect(Date.now() - began).toBeLessThan(3_000);
  },
);

test.concurrent("a running job survives a restart of Redis, and its wait ends", async ({ expect }) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  const completions = under.completions();
  const [finish, jobId] = [Promise.withResolvers<void>(), randomUUID()];
  let aborted = false;
  const worker = under.worker(async (id, { signal, progress }) => {
    await finish.promise;
    progress({ stage: "settling" });
    aborted = signal.aborted;
    under.finished.add(id);
  });
  await under.ready();
  await queue.enqueue(jobId);
  const wait = completions.wait(jobId, { deadline: inMs(30_000) });
  await expect.poll(() => worker.running()).toBe(1);
  await redis.restart();
  await untilItAnswers(queue);
  finish.resolve();
  expect(await wait).toBe("finished");
  expect(aborted).toBe(false);
  await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
});

test.concurrent("two hundred waits end although Redis never comes back", async ({ expect }) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const completions = under.completions({ lookEveryMs: 200 });
  await under.ready();
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(30_000) }));
  await redis.kill();
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);
  for (const id of ids) under.finished.add(id);
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["finished"]));
});

test.concurrent("a job that finished while the listener was disconnected is found as soon as it reconnects", async ({
  expect,
}) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  let asked = 0;
  const completions = under.completions({
    lookEveryMs: 100_000,
    findFinished: async (jobIds) => {
      asked += 1;
      return jobIds.filter((id) => under.finished.has(id));
    },
  });
  await under.ready();
  const jobId = randomUUID();
  const wait = completions.wait(jobId, { deadline: inMs(30_000) });
  await expect.poll(() => asked).toBeGreaterThan(0);
  await redis.kill();
  under.finished.add(jobId);
  await redis.restart({ empty: true });
  expect(await wait).toBe("finished");
});

test.concurrent("everything can be opened without Redis, and works once Redis is available", async ({ expect }) => {
  await using redis = await ownRedis();
  await redis.kill();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  const completions = under.completions();
  const worker = under.worker(async (jobId) => void under.finished.add(jobId));
  const permits = under.permits(1);
  const permit = permits.take({ accountId: "account", pays: true }, new AbortController().signal);
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);
  expect(worker.isConsuming()).toBe(true);
  await redis.restart();
  const jobId = randomUUID();
  const wait = completions.wait(jobId, { deadline: inMs(30_000) });
  await expect
    .poll(() =>
      queue.enqueue(jobId).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await wait).toBe("finished");
  (await permit).release();
});

test("everything closes within seconds without Redis, whether or not it was ever connected", async () => {
  await using redis = await ownRedis();
  const [before, since] = [queueUnderTest(redis), queueUnderTest(redis)];
  const open = (under: typeof before) => [
    under.queue(),
    under.completions(),
    under.worker(() => new Promise(() => undefined)),
    under.permits(1).take({ accountId: "account", pays: true }, new AbortController().signal),
  ];
  before.completions();
  await before.permits(1).take({ accountId: "account", pays: true }, new AbortController().signal);
  const [queue, worker] = [before.queue(), before.worker(() => new Promise(() => undefined))];
  await before.ready();
  await queue.enqueue(randomUUID());
  await expect.poll(() => worker.running()).toBe(1);
  await redis.kill();
  open(since);
  const began = Date.now();
  await Promise.all([before[Symbol.asyncDispose](), since[Symbol.asyncDispose]()]);
  expect(Date.now() - began).toBeLessThan(10_000);
});
