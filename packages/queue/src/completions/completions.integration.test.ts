import { randomUUID } from "node:crypto";
import type { JobProgress } from "@video-to-json/contract";
import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { inMs, queueUnderTest } from "../testing/queue.harness.ts";

const never = 100_000;

test("a wait for a finished job resolves at once, without an event", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions({ lookEveryMs: never });
  // Several, because the lookup that follows the first connection may answer the first wait.
  for (let i = 0; i < 5; i += 1) {
    const jobId = randomUUID();
    under.finished.add(jobId);
    expect(await completions.wait(jobId, { deadline: inMs(10_000) })).toBe("finished");
  }
});

test("a finished job wakes all waits for it, and only those", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await under.ready();
  const finish = Promise.withResolvers<void>();
  const jobId = randomUUID();
  under.worker(async () => {
    await finish.promise;
    under.finished.add(jobId);
  });
  await queue.enqueue(jobId);
  const waits = Array.from({ length: 3 }, () => completions.wait(jobId, { deadline: inMs(20_000) }));
  const controller = new AbortController();
  const other = completions.wait(randomUUID(), { deadline: inMs(20_000), signal: controller.signal });
  expect(completions.waiting()).toBe(4);
  finish.resolve();
  expect(await Promise.all(waits)).toEqual(["finished", "finished", "finished"]);
  expect(completions.waiting()).toBe(1);
  controller.abort();
  expect(await other).toBe("aborted");
  expect(completions.waiting()).toBe(0);
});

test("an event alone does not end a wait: only the database says that a job has finished", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const asked: string[][] = [];
  const completions = under.completions({
    lookEveryMs: never,
    findFinished: async (jobIds) => {
      asked.push(jobIds);
      return jobIds.filter((id) => under.finished.has(id));
    },
  });
  await under.ready();
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

test("a deadline ends a wait, even if it has passed or is an invalid date; a distant deadline does not", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const jobId = randomUUID();
  expect(await completions.wait(jobId, { deadline: inMs(20) })).toBe("deadline");
  expect(await completions.wait(jobId, { deadline: inMs(-5_000) })).toBe("deadline");
  expect(await completions.wait(jobId, { deadline: new Date(Number.NaN) })).toBe("deadline");
  const far = completions.wait(jobId, { deadline: new Date("2999-01-01") });
  under.finished.add(jobId);
  expect(await far).toBe("finished");
});

test("a wait with an aborted signal ends at once", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const signal = AbortSignal.abort();
  expect(await completions.wait(randomUUID(), { deadline: inMs(10_000), signal })).toBe("aborted");
});

test("closing aborts every wait, and no new wait starts", async () => {
  await using under = queueUnderTest(testRedis());
  const completions = under.completions();
  const waits = Array.from({ length: 5 }, () => completions.wait(randomUUID(), { deadline: inMs(20_000) }));
  await completions.close();
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["aborted"]));
  expect(await completions.wait(randomUUID(), { deadline: inMs(20_000) })).toBe("aborted");
  expect(completions.waiting()).toBe(0);
});

test("a failing database only delays a wait until it answers again", async () => {
  await using under = queueUnderTest(testRedis());
  let asked = 0;
  const completions = under.completions({
    lookEveryMs: 20,
    findFinished: (jobIds) => {
      asked += 1;
      if (asked === 1) throw new Error("thrown at once");
      return asked < 5 ? Promise.reject(new Error("no database")) : Promise.resolve(jobIds);
    },
  });
  expect(await completions.wait(randomUUID(), { deadline: inMs(10_000) })).toBe("finished");
  expect(under.errors.map(({ message }) => message)).toEqual(["thrown at once", "no database"]);
});

test("the database is not queried while nothing waits, and one query covers all waits", async () => {
  await using under = queueUnderTest(testRedis());
  const queries: string[][] = [];
  const ticks = Promise.withResolvers<void>();
  const completions = under.completions({
    lookEveryMs: 10,
    findFinished: async (jobIds) => {
      queries.push(jobIds);
      if (queries.length === 3) ticks.resolve();
      return [];
    },
  });
  await under.ready();
  expect(queries).toEqual([]);
  const controller = new AbortController();
  const ids = Array.from({ length: 50 }, () => randomUUID());
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(20_000), signal: controller.signal }));
  await ticks.promise;
  for (const query of queries) expect(query.toSorted()).toEqual(ids.toSorted());
  controller.abort();
  await Promise.all(waits);
  const asked = queries.length;
  await under.ready();
  expect(queries.length - asked).toBeLessThanOrEqual(1);
});

test("two hundred waits on one signal cause no warning about a listener leak", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const warnings: Error[] = [];
  const recordWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", recordWarning);
  const completions = under.completions({ lookEveryMs: never });
  await under.ready();
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const { signal } = new AbortController();
  const waits = ids.map((id) => completions.wait(id, { deadline: inMs(60_000), signal }));
  under.worker(async (jobId) => void under.finished.add(jobId), 20);
  await Promise.all(ids.map((id) => queue.enqueue(id)));
  expect(new Set(await Promise.all(waits))).toEqual(new Set(["finished"]));
  process.off("warning", recordWarning);
  expect(warnings).toEqual([]);
});

test("malformed events and invalid progress disturb no wait", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await under.ready();
  const jobId = randomUUID();
  const received: unknown[] = [];
  using _ = completions.watch(jobId, (progress) => received.push(progress));
  const wait = completions.wait(jobId, { deadline: inMs(60_000) });
  const redis = new Redis(url);
  const stream = `${prefix}:extractions:events`;
  await redis.xadd(stream, "*", "event", "progress", "jobId", jobId, "data", `{"stage":"<script>","jobId":"${jobId}"}`);
  await redis.xadd(stream, "*", "event", "progress", "jobId", jobId, "data", `{"stage":"probing","jobId":"${jobId}"}`);
  await expect.poll(() => received).toEqual([{ stage: "probing" }]);
  await redis.xadd(stream, "*", "event", "completed", "jobId", jobId, "returnvalue", "{not json");
  await redis.xadd(stream, "*", "event", "nonsense");
  await expect.poll(() => under.errors.length).toBeGreaterThan(0);

  under.worker(async (id) => void under.finished.add(id));
  await queue.enqueue(jobId);
  expect(await wait).toBe("finished");
  redis.disconnect();

  // The lookup after the listener's restart may have ended that wait; only an event can end this one.
  const next = randomUUID();
  const woken = completions.wait(next, { deadline: inMs(60_000) });
  await queue.enqueue(next);
  expect(await woken).toBe("finished");
});

test("a watch that begins late gets the current progress at once, unless a change comes first", async () => {
  await using under = queueUnderTest(testRedis());
  const [queue, completions] = [under.queue(), under.completions({ lookEveryMs: never })];
  await under.ready();
  const jobId = randomUUID();
  const published = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  under.worker(async (_id, { progress }) => {
    progress({ stage: "uploading" });
    progress({ stage: "analysing", attempt: 2 });
    published.resolve();
    await end.promise;
  });
  expect(await queue.progress(jobId)).toBeUndefined();
  await queue.enqueue(jobId);
  await published.promise;
  await expect.poll(() => queue.progress(jobId)).toEqual({ jobId, progress: { stage: "analysing", attempt: 2 } });
  const late: unknown[] = [];
  using _late = completions.watch(
    randomUUID(),
    (progress) => late.push(progress),
    async () => (await queue.progress(jobId))?.progress,
  );
  await expect.poll(() => late).toEqual([{ stage: "analysing", attempt: 2 }]);
  end.resolve();
});

test("the current progress of a watch is dropped where a change came first, the watch has ended, or it cannot be read", async () => {
  const { url, prefix } = testRedis();
  await using under = queueUnderTest({ url, prefix });
  const completions = under.completions({ lookEveryMs: never });
  await under.ready();
  const jobId = randomUUID();
  const current = Promise.withResolvers<JobProgress>();
  const received: unknown[] = [];
  using _watch = completions.watch(
    jobId,
    (progress) => received.push(progress),
    () => current.promise,
  );
  const ended = completions.watch(
    jobId,
    () => received.push("ended"),
    () => current.promise,
  );
  ended[Symbol.dispose]();
  using _failing = completions.watch(
    jobId,
    () => {},
    () => Promise.reject(new Error("no Redis")),
  );
  const redis = new Redis(url);
  const data = JSON.stringify({ stage: "settling", jobId });
  await redis.xadd(`${prefix}:extractions:events`, "*", "event", "progress", "jobId", randomUUID(), "data", data);
  redis.disconnect();
  await expect.poll(() => received).toEqual([{ stage: "settling" }]);
  current.resolve({ stage: "analysing" });
  await expect.poll(() => under.errors.map(({ message }) => message)).toEqual(["no Redis"]);
  expect(received).toEqual([{ stage: "settling" }]);
});

test("an error in onProgress is reported and ends no wait", async () => {
  await using under = queueUnderTest(testRedis());
  const queue = under.queue();
  const completions = under.completions({ lookEveryMs: never });
  await under.ready();
  const jobId = randomUUID();
  using _ = completions.watch(jobId, () => {
    throw new Error("thrown in onProgress");
  });
  const wait = completions.wait(jobId, { deadline: inMs(20_000) });
  under.worker(async (id, { progress }) => {
    progress({ stage: "probing" });
    under.finished.add(id);
  });
  await queue.enqueue(jobId);
  expect(await wait).toBe("finished");
  expect(under.errors.map(({ message }) => message)).toEqual(["thrown in onProgress"]);
});
