import { randomUUID } from "node:crypto";
import { claimNextJob } from "@video-to-json/database";
import { runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { openLostJobsPlace } from "./lost-jobs.harness.ts";
import { requeueLostJobs } from "./rescue-jobs.ts";

const stop = new AbortController().signal;

const many = runsAllTests ? 10_000 : 700;
const some = runsAllTests ? 300 : 60;

test(`${many} jobs are back in an emptied queue after one run, within twenty seconds, those that run first`, async () => {
  const place = await openLostJobsPlace();
  const { db, queue, redis } = place;
  await place.newJobs(many);
  const tickets = Array.from({ length: 500 }, () => randomUUID());
  for (const ticket of tickets) await claimNextJob(db, { ticket, workerId: randomUUID(), places: 500 });
  const startedAt = performance.now();
  expect(await requeueLostJobs(place)).toBe(many);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(await queue.count()).toBe(many);
  expect(await queue.missing(tickets)).toEqual([]);
  expect(tickets).toContain(bulkOf(await redis("LINDEX p:extractions:wait -1")));
  expect(await requeueLostJobs(place)).toBe(0);
});

test("with 100,000 waiting tickets, a run exchanges a few kilobytes with Redis, and finds the lost ones", async () => {
  const place = await openLostJobsPlace();
  const { db, queue, redis } = place;
  await place.newJobs(100);
  const tickets = Array.from({ length: 50 }, () => randomUUID());
  for (const ticket of tickets) await claimNextJob(db, { ticket, workerId: randomUUID(), places: 100 });
  await queue.requeue(tickets);
  await redis(`EVAL "for n = 1, 100000 do redis.call('LPUSH', 'p:extractions:wait', 'ticket ' .. n) end" 0`);
  const before = await bytesExchanged(redis);
  expect(await requeueLostJobs(place)).toBe(0);
  expect((await bytesExchanged(redis)) - before).toBeLessThan(20_000);

  const [lost = ""] = tickets;
  await redis(`LREM p:extractions:wait 0 ${lost}`);
  expect(await requeueLostJobs(place)).toBe(1);
  expect(bulkOf(await redis("LINDEX p:extractions:wait -1"))).toBe(lost);
});

type Redis = (command: string) => Promise<string>;

const losses: Record<string, (redis: Redis, jobs: string[]) => Promise<unknown>> = {
  "the list of waiting tickets": (redis) => redis("DEL p:extractions:wait p:extractions:marker"),
  "the data of the tickets": (redis, jobs) => redis(`DEL ${jobs.map((id) => `p:extractions:${id}`).join(" ")}`),
  "whatever it evicted": evictForAWhile,
};

test.each(Object.entries(losses))(
  "when Redis has lost %s, every job is run and nothing stays in Redis",
  async (_, lose) => {
    const place = await openLostJobsPlace();
    const { queue, redis } = place;
    const jobs = await place.newJobs(some);
    for (const id of jobs) await queue.enqueue(id);
    await lose(redis, jobs);
    place.startWorker(8);
    await expect
      .poll(
        async () => {
          await requeueLostJobs(place);
          return place.countOpen();
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    await expect.poll(() => queue.count(), { timeout: 20_000 }).toBe(0);
    await queue.removeLeftovers({ minAgeMs: 0, stop });
    const left = (await keysOf(redis)).filter((key) => !/:(events|id|marker|meta|stalled|stalled-check)$/.test(key));
    expect(left).toEqual([]);
  },
  120_000,
);

async function evictForAWhile(redis: Redis): Promise<void> {
  await redis("CONFIG SET maxmemory-policy allkeys-lru");
  await expect
    .poll(async () => {
      // The buffers of connections that end free memory too, so that one limit may evict nothing.
      const used = Number(/used_memory:(\d+)/.exec(await redis("INFO memory"))?.[1]);
      await redis(`CONFIG SET maxmemory ${used - 200 * some}`);
      await redis("SET other x");
      return Number(/evicted_keys:(\d+)/.exec(await redis("INFO stats"))?.[1]);
    })
    .toBeGreaterThanOrEqual(20);
  await redis("CONFIG SET maxmemory 0");
  await redis("DEL other");
}

/** Returns how many bytes the server has received and sent. */
async function bytesExchanged(redis: Redis): Promise<number> {
  const stats = await redis("INFO stats");
  const read = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]);
  return read("total_net_input_bytes") + read("total_net_output_bytes");
}

/** Returns the string in a reply. */
function bulkOf(reply: string): string | undefined {
  return reply.split("\r\n")[1];
}

async function keysOf(redis: Redis): Promise<string[]> {
  return (await redis("KEYS *")).split("\r\n").filter((line) => line.startsWith("p:"));
}
