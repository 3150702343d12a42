import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inMs, ownRedis, queueUnderTest } from "./test-queue.harness.ts";

const strays: unknown[] = [];
const note = (stray: unknown) => void strays.push(stray);

beforeAll(() => {
  process.on("warning", note);
  process.on("unhandledRejection", note);
});
afterAll(() => {
  process.off("warning", note);
  process.off("unhandledRejection", note);
  expect(strays).toEqual([]);
});

test.concurrent.for([{ empty: false }, { empty: true }])(
  "a Redis killed and started again (%o) takes new jobs to the workers and their ends to the waiters",
  async ({ empty }, { expect }) => {
    await using redis = await ownRedis();
    await using under = queueUnderTest(redis);
    const queue = under.queue();
    const completions = under.completions();
    const worker = under.worker(async (jobId) => void under.ended.add(jobId));
    await Promise.all([queue.ready(), completions.ready(), worker.ready()]);
    await redis.kill();
    const away = randomUUID();
    const wait = completions.wait(away, { deadline: inMs(30_000) });
    await expect(queue.enqueue(away)).rejects.toThrow();
    await redis.restart({ empty });

    // What the sweeper does.
    await expect
      .poll(() =>
        queue.missing([away]).then(
          (ids) => Promise.all(ids.map(queue.enqueue)),
          () => [],
        ),
      )
      .toHaveLength(1);
    expect(await wait).toBe("ended");

    const after = randomUUID();
    const began = Date.now();
    const woken = completions.wait(after, { deadline: inMs(30_000) });
    await queue.enqueue(after);
    expect(await woken).toBe("ended");
    expect(Date.now() - began).toBeLessThan(3_000);
  },
);

test.concurrent("a running job outlasts a restart of Redis, and its waiter gets the answer", async ({ expect }) => {
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
    under.ended.add(id);
  });
  await queue.enqueue(jobId);
  const wait = completions.wait(jobId, { deadline: inMs(30_000) });
  await expect.poll(() => worker.running()).toBe(1);
  await redis.restart();
  await queue.ready();
  finish.resolve();
  expect(await wait).toBe("ended");
  expect(aborted).toBe(false);
  await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
});

test.concurrent("two hundred waits get their answer while Redis is away for good", async ({ expect }) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const completions = under.completions({ lookEveryMs: 200 });
  await completions.ready();
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(30_000) }));
  await redis.kill();
  await expect(completions.ready()).rejects.toThrow();
  for (const id of ids) under.ended.add(id);
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["ended"]));
});

test.concurrent("what ended while the listener was cut off is looked up as soon as it is back", async ({ expect }) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  let asked = 0;
  const completions = under.completions({
    lookEveryMs: 100_000,
    findEnded: async (jobIds) => {
      asked += 1;
      return jobIds.filter((id) => under.ended.has(id));
    },
  });
  await completions.ready();
  const jobId = randomUUID();
  const wait = completions.wait(jobId, { deadline: inMs(30_000) });
  await expect.poll(() => asked).toBeGreaterThan(0);
  await redis.kill();
  under.ended.add(jobId);
  await redis.restart({ empty: true });
  expect(await wait).toBe("ended");
});

test.concurrent("a Redis that comes back empty is told the global concurrency again", async ({ expect }) => {
  await using redis = await ownRedis();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  await queue.setGlobalConcurrency(1);
  await redis.restart({ empty: true });
  await expect
    .poll(() =>
      queue.ready().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  let running = 0;
  let most = 0;
  const ids = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(ids.map((id) => queue.enqueue(id)));
  under.worker(async (jobId) => {
    running += 1;
    most = Math.max(most, running);
    await queue.counts();
    running -= 1;
    under.ended.add(jobId);
  });
  await expect.poll(() => under.ended.size).toBe(20);
  expect(most).toBe(1);
});

test.concurrent("everything can be opened while Redis is away, and works once it comes", async ({ expect }) => {
  await using redis = await ownRedis();
  await redis.kill();
  await using under = queueUnderTest(redis);
  const queue = under.queue();
  const completions = under.completions();
  const worker = under.worker(async (jobId) => void under.ended.add(jobId));
  await queue.setGlobalConcurrency(5);
  await expect(completions.ready()).rejects.toThrow();
  await expect(worker.ready()).rejects.toThrow();
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
  expect(await wait).toBe("ended");
});

test("everything closes in seconds while Redis is away, whether it was ever there or not", async () => {
  await using redis = await ownRedis();
  const [before, since] = [queueUnderTest(redis), queueUnderTest(redis)];
  const open = (under: typeof before) => [
    under.queue(),
    under.completions(),
    under.worker(() => new Promise(() => undefined)),
  ];
  const [queue, completions, worker] = [
    before.queue(),
    before.completions(),
    before.worker(() => new Promise(() => undefined)),
  ];
  await Promise.all([queue.ready(), completions.ready(), worker.ready()]);
  await queue.enqueue(randomUUID());
  await expect.poll(() => worker.running()).toBe(1);
  await redis.kill();
  open(since);
  const began = Date.now();
  await Promise.all([before[Symbol.asyncDispose](), since[Symbol.asyncDispose]()]);
  expect(Date.now() - began).toBeLessThan(10_000);
});
