import type { Redis } from "ioredis";

/**
 * What a worker is opened with so that it heeds a pause: a limit so high that it never bites by itself, only while
 * the counter is set to it by hand.
 */
export const pauseLimiter = { max: 1_000_000_000, duration: 1_000 } as const;

const script = `
local count = tonumber(redis.call("GET", KEYS[1]) or "0")
if count < tonumber(ARGV[1]) or redis.call("PTTL", KEYS[1]) < tonumber(ARGV[2]) then
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
end`;

/** Pauses the queue whose rate limit counter this is for `ms` milliseconds, unless it is paused for longer already. */
export async function lengthenPause(redis: Redis, limiterKey: string, ms: number): Promise<void> {
  if (!(ms > 0)) return;
  await redis.eval(script, 1, limiterKey, pauseLimiter.max, Math.ceil(ms));
}
