import type { Redis } from "ioredis";
import { pauseLimiter } from "./pause.ts";

/** A process first sets its own limit. Later, a missing limit shows that Redis has lost its data. */
const script = `
if ARGV[2] == "first" then
  redis.call("HSET", KEYS[1], "concurrency", ARGV[1])
elseif redis.call("HSETNX", KEYS[1], "concurrency", ARGV[1]) == 1 then
  redis.call("SET", KEYS[2], ARGV[3], "PX", ARGV[4])
end`;

type Limit = {
  limit: number;
  /** Whether this process has not set the limit before. */
  isFirst: boolean;
  /** The pause after a loss of data, in milliseconds. */
  pauseMs: number;
};

/** Sets how many jobs of the queue all processes together may run at once: BullMQ's global concurrency. */
export async function setLimit(
  redis: Redis,
  { meta, limiter }: { meta: string; limiter: string },
  { limit, isFirst, pauseMs }: Limit,
): Promise<void> {
  await redis.eval(script, 2, meta, limiter, limit, isFirst ? "first" : "again", pauseLimiter.max, pauseMs);
}
