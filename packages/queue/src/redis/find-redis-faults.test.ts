import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { findRedisFaults, isCluster, isTooOld } from "./inspect-redis.ts";

test("versions below 6.2 are too old, and an unknown version is not", () => {
  const infoOf = (version: string) => `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`;
  expect(["5.0.14", "6.0.16", "6.1.240"].map((version) => isTooOld(infoOf(version)))).toEqual([true, true, true]);
  expect(["6.2.0", "6.10.1", "7.0.15", "10.0.0"].map((version) => isTooOld(infoOf(version)))).toEqual(
    Array(4).fill(false),
  );
  expect([isTooOld(""), isTooOld("redis_version:unknown")]).toEqual([false, false]);
});

test("an old server that may evict has both faults", async () => {
  const redis = { info: async () => "redis_version:6.0.16", config: async () => ["maxmemory-policy", "allkeys-lru"] };
  expect(await findRedisFaults(redis as unknown as Redis)).toEqual(["eviction", "old_version"]);
});

test("a part of a cluster is known by the words of Redis 7.0 and of Valkey 8.1", () => {
  const valkey = "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\nserver_mode:";
  const redis = "# Server\r\nredis_version:7.0.15\r\nredis_mode:";
  expect([redis, valkey].map((info) => isCluster(`${info}cluster\r\n`))).toEqual([true, true]);
  expect([redis, valkey].map((info) => isCluster(`${info}standalone\r\n`))).toEqual([false, false]);
});
