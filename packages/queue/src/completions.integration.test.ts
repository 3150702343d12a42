import { randomUUID } from "node:crypto";
import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { inMs, queueUnderTest } from "./test-queue.harness.ts";

const never = 100_000;

test("a job that has ended before anyone waits is answered at once, without any event", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions({ lookEveryMs: never });
  // More than one: the first may be answered by the look that follows the listener's connecting.
  for (let i = 0; i < 5; i += 1) {
    const jobId = randomUUID();
    under.ended.add(jobId);
    expect(await completions.wait(jobId, { deadline: inMs(10_000) })).toBe("ended");
  }
});

test("the end of a job wakes all who wait for it, and only them", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await completions.ready();
  const finish = Promise.withResolvers<void>();
  const jobId = randomUUID();
  under.worker(async () => {
    await finish.promise;
    under.ended.add(jobId);
  });
  await queue.enqueue(jobId);
  const waits = Array.from({ length: 3 }, () => completions.wait(jobId, { deadline: inMs(20_000) }));
  const controller = new AbortController();
  const other = completions.wait(randomUUID(), { deadline: inMs(20_000), signal: controller.signal });
  expect(completions.waiting()).toBe(4);
  finish.resolve();
  expect(await Promise.all(waits)).toEqual(["ended", "ended", "ended"]);
  expect(completions.waiting()).toBe(1);
  controller.abort();
  expect(await other).toBe("aborted");
  expect(completions.waiting()).toBe(0);
});

test("an event is not believed: a job that the database does not call ended is waited for further", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const asked: string[][] = [];
  const completions = under.completions({
    lookEveryMs: never,
    findEnded: async (jobIds) => {
      asked.push(jobIds);
      return jobIds.filter((id) => under.ended.has(id));
    },
  });
  await completions.ready();
  const jobId = randomUUID();
  const controller = new AbortController();
  const wait = completions.wait(jobId, { deadline: inMs(20_000), signal: controller.signal });
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(1);
  const before = asked.length;
  under.worker(async () => undefined);
  await queue.enqueue(jobId);
  await expect.poll(() => asked.length).toBeGreaterThan(before);
  await expect.poll(() => queue.missing([jobId])).toEqual([jobId]);
  controller.abort();
  expect(await wait).toBe("aborted");
});

test("the deadline ends a wait, also one that has passed or is no date; a far one does not", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const jobId = randomUUID();
  expect(await completions.wait(jobId, { deadline: inMs(20) })).toBe("deadline");
  expect(await completions.wait(jobId, { deadline: inMs(-5_000) })).toBe("deadline");
  expect(await completions.wait(jobId, { deadline: new Date(Number.NaN) })).toBe("deadline");
  const far = completions.wait(jobId, { deadline: new Date("2999-01-01") });
  under.ended.add(jobId);
  expect(await far).toBe("ended");
});

test("a signal that has aborted before ends the wait before it begins", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const signal = AbortSignal.abort();
  expect(await completions.wait(randomUUID(), { deadline: inMs(10_000), signal })).toBe("aborted");
});

test("closing ends every wait as aborted, and no new one begins", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const waits = Array.from({ length: 5 }, () => completions.wait(randomUUID(), { deadline: inMs(20_000) }));
  await completions.close();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["aborted"]));
  expect(await completions.wait(randomUUID(), { deadline: inMs(20_000) })).toBe("aborted");
  expect(completions.waiting()).toBe(0);
});

test("a database that fails, then answers, costs a wait nothing but time", async () => {
  await using under = queueUnderTest(testRedis());
  let asked = 0;
  const completions = under.completions({
    lookEveryMs: 20,
    findEnded: (jobIds) => {
      asked += 1;
      if (asked === 1) throw new Error("thrown at once");
      return asked < 5 ? Promise.reject(new Error("no database")) : Promise.resolve(jobIds);
    },
  });
  expect(await completions.wait(randomUUID(), { deadline: inMs(10_000) })).toBe("ended");
  expect(under.errors.map(({ message }) => message)).toEqual(["thrown at once", "no database"]);
});

test("nothing is asked of the database while nobody waits, and a batch is one question", async () => {
  await using under = queueUnderTest(testRedis());
  const questions: string[][] = [];
  const ticks = Promise.withResolvers<void>();
  const completions = under.completions({
    lookEveryMs: 10,
    findEnded: async (jobIds) => {
      questions.push(jobIds);
      if (questions.length === 3) ticks.resolve();
      return [];
    },
  });
  await completions.ready();
  expect(questions).toEqual([]);
  const controller = new AbortController();
  const ids = Array.from({ length: 50 }, () => randomUUID());
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(20_000), signal: controller.signal }));
  await ticks.promise;
  for (const question of questions) expect(question.toSorted()).toEqual(ids.toSorted());
  controller.abort();
  await Promise.all(waits);
  const asked = questions.length;
  await completions.ready();
  expect(questions.length - asked).toBeLessThanOrEqual(1);
});

test("two hundred waits at once, on one signal, raise no warning of a leak", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  const completions = under.completions({ lookEveryMs: never });
  await completions.ready();
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const { signal } = new AbortController();
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(20_000), signal }));
  under.worker(async (jobId) => void under.ended.add(jobId), 20);
  await Promise.all(ids.map((id) => queue.enqueue(id)));
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["ended"]));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("events that nobody can read, and progress that is none, disturb no wait", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await completions.ready();
  const jobId = randomUUID();
  const heard: unknown[] = [];
  const wait = completions.wait(jobId, { deadline: inMs(20_000), onProgress: (progress) => heard.push(progress) });
  const redis = new Redis(url);
  const stream = `${prefix}:extractions:events`;
  await redis.xadd(stream, "*", "event", "progress", "jobId", jobId, "data", '{"stage":"<script>"}');
  await redis.xadd(stream, "*", "event", "progress", "jobId", jobId, "data", '{"stage":"probing"}');
  await expect.poll(() => heard).toEqual([{ stage: "probing" }]);
  await redis.xadd(stream, "*", "event", "completed", "jobId", jobId, "returnvalue", "{not json");
  await redis.xadd(stream, "*", "event", "nonsense");
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);

  under.worker(async (id) => void under.ended.add(id));
  await queue.enqueue(jobId);
  expect(await wait).toBe("ended");
  redis.disconnect();

  // That may have been the look at the listener's restart; this can only be an event.
  const next = randomUUID();
  const woken = completions.wait(next, { deadline: inMs(20_000) });
  await queue.enqueue(next);
  expect(await woken).toBe("ended");
});

test("an onProgress that throws is reported and ends nothing", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await completions.ready();
  const jobId = randomUUID();
  const wait = completions.wait(jobId, {
    deadline: inMs(20_000),
    onProgress: () => {
      throw new Error("the caller's fault");
    },
  });
  under.worker(async (id, { progress }) => {
    progress({ stage: "probing" });
    under.ended.add(id);
  });
  await queue.enqueue(jobId);
  expect(await wait).toBe("ended");
  expect(under.errors.map(({ message }) => message)).toEqual(["the caller's fault"]);
});
