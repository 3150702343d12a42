import { testRedis } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { ownRedis } from "../testing/queue.harness.ts";
import { openRateLimiter, type RateLimiter } from "./rate-limiter.ts";

type Rest = Partial<Parameters<typeof openRateLimiter>[0]>;

/** Opens a limiter that waits for a reply of Redis on a busy machine too. */
function openLimiter({ url, prefix = "test" }: { url: string; prefix?: string }, rest: Rest = {}): RateLimiter {
  const limiter = openRateLimiter({ redisUrl: url, prefix, onError: () => {}, maxAnswerMs: 60_000, ...rest });
  onTestFinished(() => limiter.close());
  return limiter;
}

/** Sends requests one after the other. Returns which were allowed. */
async function takes(
  limiters: RateLimiter[],
  count: number,
  perMinute: number,
  bucket: "extract" | "read" = "extract",
): Promise<boolean[]> {
  const allowed: boolean[] = [];
  for (let i = 0; i < count; i += 1) {
    const limiter = limiters[i % limiters.length];
    if (limiter) allowed.push((await limiter.take(bucket, "account", perMinute)).allowed);
  }
  return allowed;
}

test("all processes together allow exactly the limit, from the first request on", async () => {
  const redis = testRedis();
  const limiters = [openLimiter(redis), openLimiter(redis)];
  expect(await takes(limiters, 7, 5)).toEqual([true, true, true, true, true, false, false]);
});

test("concurrent requests cannot exceed the limit", async () => {
  const limiter = openLimiter(testRedis());
  const answers = await Promise.all(Array.from({ length: 100 }, () => limiter.take("read", "account", 10)));
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
});

test("an answer holds the limit, the remaining requests and the seconds until the window ends", async () => {
  const limiter = openLimiter(testRedis());
  expect(await limiter.take("extract", "account", 2)).toEqual({
    allowed: true,
    limit: 2,
    remaining: 1,
    resetSeconds: 60,
    windowSeconds: 60,
  });
  expect(await limiter.take("extract", "account", 2)).toMatchObject({ allowed: true, remaining: 0 });
  const refused = await limiter.take("extract", "account", 2);
  expect(refused).toMatchObject({ allowed: false, limit: 2, remaining: 0 });
  expect(refused.resetSeconds).toBeGreaterThan(50);
  expect(refused.resetSeconds).toBeLessThanOrEqual(60);
});

test("each account and each kind of request has its own count, and a limit of zero allows nothing", async () => {
  const limiter = openLimiter(testRedis());
  expect(await takes([limiter], 2, 1)).toEqual([true, false]);
  expect(await limiter.take("extract", "another", 1)).toMatchObject({ allowed: true });
  expect(await limiter.take("read", "account", 1)).toMatchObject({ allowed: true });
  expect(await limiter.take("read", "a third", 0)).toMatchObject({ allowed: false, remaining: 0 });
});

test("raising an account's limit adds the difference", async () => {
  const limiter = openLimiter(testRedis());
  expect(await takes([limiter], 3, 2)).toEqual([true, true, false]);
  expect(await limiter.take("extract", "account", 10)).toMatchObject({ allowed: true, remaining: 6 });
});

test("without Redis a process continues with its own count at once; when Redis is back, all share one count again", async () => {
  await using redis = await ownRedis();
  const errors: Error[] = [];
  const limiter = openLimiter(redis, { onError: (error) => void errors.push(error) });
  expect(await takes([limiter], 1, 3)).toEqual([true]);
  await redis.kill();
  const began = Date.now();
  expect(await takes([limiter], 4, 3)).toEqual([true, true, false, false]);
  expect(Date.now() - began).toBeLessThan(1_000);
  expect(errors.length).toBeGreaterThan(0);

  await redis.restart({ empty: true });
  const other = openLimiter(redis);
  const ahead = async () =>
    (await other.take("extract", "account", 1_000)).remaining -
    (await limiter.take("extract", "account", 1_000)).remaining;
  await expect.poll(ahead).toBe(1);
});

test("a Redis that hangs delays only the first request; the others use the local count until it answers", async () => {
  await using redis = await ownRedis();
  const [limiter, other] = [openLimiter(redis, { maxAnswerMs: 250 }), openLimiter(redis)];
  await limiter.take("read", "account", 1_000);
  process.kill(redis.pid, "SIGSTOP");
  const began = performance.now();
  expect(await limiter.take("read", "account", 20)).toMatchObject({ allowed: true, remaining: 18 });
  const waited = performance.now() - began;
  expect(waited).toBeGreaterThan(200);
  expect(await takes([limiter], 20, 20, "read")).toEqual([...Array(18).fill(true), false, false]);
  // Twenty requests that each waited would take five seconds.
  expect(performance.now() - began - waited).toBeLessThan(1_000);
  process.kill(redis.pid, "SIGCONT");
  await other.take("read", "account", 1_000);
  const together = async () =>
    (await other.take("read", "account", 1_000)).remaining - (await limiter.take("read", "account", 1_000)).remaining;
  await expect.poll(together).toBe(1);
});
