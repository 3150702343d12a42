import { randomBytes } from "node:crypto";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The Redis of the test run. `global-setup.ts` provides it. */
    redis: { url: string };
  }
}

/** Returns the URL of the Redis of the test run and an unused prefix. For integration tests. */
export function testRedis(): { url: string; prefix: string } {
  return { url: inject("redis").url, prefix: `test-${randomBytes(8).toString("hex")}` };
}
