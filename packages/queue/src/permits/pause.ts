import type { Redis } from "ioredis";

/**
 * BullMQ's rate limit, which pauses all processes. They never start this many jobs in a second. So the limit applies only
 * after `extendPause` has set the counter to the maximum.
 */
export const pauseLimiter = { max: 1_000_000_000, duration: 1_000 } as const;

const script = `
local count = tonumber(redis.call("GET", KEYS[1]) or "0")
if count < tonumber(ARGV[1]) or redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
end`;

/**
 * Pauses a queue for `ms` milliseconds, unless it is already paused for longer.
 *
 * @param limiterKey the key of the queue's rate limit counter.
 */
export async function extendPause(redis: Redis, limiterKey: string, ms: number): Promise<void> {
  if (!(ms > 0)) return;
  await redis.eval(script, 1, limiterKey, pauseLimiter.max, Math.ceil(ms));
}
