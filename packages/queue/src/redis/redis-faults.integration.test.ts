import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { openJobQueue } from "../jobs/job-queue.ts";
import { ownRedis, queueUnderTest } from "../testing/queue.harness.ts";

const eviction = expect.stringContaining("Set maxmemory-policy to noeviction");

test("a Redis that may evict is reported at the start and after a reconnect, and no longer once it is set right", async () => {
  await using server = await ownRedis();
  const redis = new Redis(server.url);
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  await using under = queueUnderTest(server);
  const queue = under.queue();
  await expect.poll(() => under.errors).toEqual([expect.objectContaining({ message: eviction })]);
  expect(queue.redisFaults()).toEqual({ eviction: 1, old_version: 0 });

  await redis.config("SET", "maxmemory-policy", "noeviction");
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await expect.poll(() => queue.redisFaults().eviction).toBe(0);
  await redis.config("SET", "maxmemory-policy", "volatile-ttl");
  await redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
  await expect.poll(() => queue.redisFaults().eviction).toBe(1);
  redis.disconnect();
});

test("a Redis that hides its settings counts as right, and jobs are queued", async () => {
  await using server = await ownRedis();
  const redis = new Redis(server.url);
  await redis.config("SET", "maxmemory-policy", "allkeys-lru");
  await redis.acl("SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-config", "-info");
  const url = new URL(server.url);
  Object.assign(url, { username: "limited", password: "secret" });
  const errors: Error[] = [];
  const queue = openJobQueue({ redisUrl: url.href, prefix: "p", onError: (error) => void errors.push(error) });
  await queue.addTickets(1);
  expect(await queue.count()).toBe(1);
  expect(queue.redisFaults()).toEqual({ eviction: 0, old_version: 0 });
  expect(errors).toEqual([]);
  await queue.close();
  redis.disconnect();
});
