import { randomBytes } from "node:crypto";
import { inject } from "vitest";

/** The run's Redis server and a prefix of one's own on it; for integration tests. */
export function testRedis(): { url: string; prefix: string } {
  return { url: inject("redis").url, prefix: `test-${randomBytes(8).toString("hex")}` };
}
