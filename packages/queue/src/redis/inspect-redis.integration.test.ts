import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { ownRedis, queueUnderTest } from "../testing/queue.harness.ts";

test("a queue detects that Redis was emptied, restarted or refuses to write, how full it is, and that it may evict", async () => {
  await using server = await ownRedis();
  await using under = queueUnderTest(server);
  const queue = under.queue();
  const first = await queue.inspect();
  expect(first).toMatchObject({ maxBytes: 0, hasLostData: false });
  expect(first.usedBytes).toBeGreaterThan(100_000);
  expect(await queue.inspect()).toMatchObject({ runId: first.runId, hasLostData: false });

  const redis = new Redis(server.url);
  await redis.config("SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
  await redis.flushall();
  expect(await queue.inspect()).toMatchObject({ runId: first.runId, maxBytes: 100 * 1024 ** 2, hasLostData: true });
  expect(queue.redisFaults().eviction).toBe(1);
  expect((await queue.inspect()).hasLostData).toBe(false);
  redis.disconnect();

  const replica = new Redis(server.url);
  await replica.replicaof("127.0.0.1", 1);
  await expect(queue.inspect()).rejects.toThrow("READONLY");
  await replica.replicaof("NO", "ONE");
  await expect.poll(() => queue.inspect().catch(() => undefined)).toMatchObject({ runId: first.runId });
  replica.disconnect();

  await server.kill();
  await expect(queue.inspect()).rejects.toThrow();
  await server.restart();
  await expect
    .poll(() => queue.inspect().catch(() => undefined))
    .toMatchObject({ runId: expect.not.stringMatching(first.runId ?? "") });
});
