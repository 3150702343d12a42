import type { Redis } from "ioredis";
import { pauseLimiter } from "./pause.ts";

/** The first process sets its limit. Later a limit that is gone shows that Redis has lost its data. */
const script = `
if ARGV[2] == "first" then
  redis.call("HSET", KEYS[1], "concurrency", ARGV[1])
elseif redis.call("HSETNX", KEYS[1], "concurrency", ARGV[1]) == 1 then
  redis.call("SET", KEYS[2], ARGV[3], "PX", ARGV[4])
end`;

type Limit = {
  limit: number;
  /** Whether this process sets the limit for the first time. */
  isFirst: boolean;
  /** The pause after a loss of data, in milliseconds. */
  pauseMs: number;
};

/** Makes sure that the queue has a limit of jobs that run at once in all processes, which is BullMQ's own setting. */
export async function setLimit(
  redis: Redis,
  { meta, limiter }: { meta: string; limiter: string },
  { limit, isFirst, pauseMs }: Limit,
): Promise<void> {
  await redis.eval(script, 2, meta, limiter, limit, isFirst ? "first" : "again", pauseLimiter.max, pauseMs);
}
