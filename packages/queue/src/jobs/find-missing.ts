import type { Redis } from "ioredis";

/** Reads the wait list only for tickets that are nowhere else: those are few, and the list may be long. */
const script = `
local active = {}
for _, id in ipairs(redis.call("LRANGE", KEYS[1], 0, -1)) do active[id] = true end
local missing = {}
for _, id in ipairs(ARGV) do
  if not (active[id] or redis.call("ZSCORE", KEYS[2], id) or redis.call("ZSCORE", KEYS[3], id)
      or redis.call("LPOS", KEYS[4], id)) then
    missing[#missing + 1] = id
  end
end
return missing`;

type Keys = { active: string; delayed: string; prioritized: string; wait: string };

/** Returns the ids that are in none of a queue's four lists. */
export async function findMissing(redis: Redis, keys: Keys, ids: readonly string[]): Promise<string[]> {
  const { active, delayed, prioritized, wait } = keys;
  return (await redis.eval(script, 4, active, delayed, prioritized, wait, ...ids)) as string[];
}
