import { testRedis } from "@video-to-json/testing";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { openSpending } from "./spending.ts";
import { ownRedis } from "./testing/queue.harness.ts";

function open({ url, prefix = "v2j" }: { url: string; prefix?: string }, dollarsPerDay = 10) {
  const spending = openSpending({ redisUrl: url, prefix, dollarsPerDay, onError: () => {} });
  onTestFinished(() => spending.close());
  return spending;
}

test("all workers together count the dollars of a day, also one that starts later", async () => {
  const redis = testRedis();
  const [one, other] = [open(redis), open(redis)];
  one.add(3);
  other.add(4.5);
  await expect.poll(() => one.share() + other.share()).toBeGreaterThan(1);
  const later = open(redis);
  await expect.poll(() => later.share()).toBeCloseTo(0.75, 6);
  const client = new Redis(redis.url);
  expect(await client.ttl(`${redis.prefix}:spending:${new Date().toISOString().slice(0, 10)}`)).toBeGreaterThan(86_400);
  client.disconnect();
});

test("without a limit nothing counts", () => {
  const spending = open({ url: "redis://127.0.0.1:9" }, 0);
  spending.add(1000);
  expect(spending.share()).toBe(0);
});

test("while Redis is away, a worker counts for itself, and tells Redis afterwards", async () => {
  await using redis = await ownRedis();
  const spending = open(redis);
  spending.add(2);
  await expect.poll(async () => Number(await spentOf(redis.url))).toBe(2);
  await redis.stop();
  spending.add(3);
  expect(spending.share()).toBeCloseTo(0.5, 6);
});

async function spentOf(url: string): Promise<string | null> {
  const client = new Redis(url);
  const value = await client.get(`v2j:spending:${new Date().toISOString().slice(0, 10)}`);
  client.disconnect();
  return value;
}
