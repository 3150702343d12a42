import type { Redis } from "ioredis";

/**
 * The wait list may have a hundred thousand tickets, so only its end is read. Tickets that come back are there, and there
 * are at most as many as all workers have places.
 */
const findScript = `
local known = {}
for _, id in ipairs(redis.call("LRANGE", KEYS[1], 0, -1)) do known[id] = true end
for _, id in ipairs(redis.call("LRANGE", KEYS[2], -10000, -1)) do known[id] = true end
local missing = {}
for _, id in ipairs(ARGV) do
  if not known[id] then missing[#missing + 1] = id end
end
return missing`;

const removeScript = `
local removed = {}
for i, id in ipairs(ARGV) do
  if redis.call("EXISTS", KEYS[2 * i]) == 0 then
    redis.call("UNLINK", KEYS[2 * i - 1])
    removed[#removed + 1] = id
  end
end
return removed`;

/** Returns the tickets that neither run nor are among the next ten thousand of the queue. */
export async function findMissing(
  redis: Redis,
  keys: { active: string; wait: string },
  tickets: readonly string[],
): Promise<string[]> {
  return (await redis.eval(findScript, 2, keys.active, keys.wait, ...tickets)) as string[];
}

/**
 * Removes the data of lost tickets, which prevents them from being added again. Returns the tickets that can be added
 * now: all but those that a worker has locked. `toKey` returns the
 * key of a name in the queue.
 */
export async function removeData(
  redis: Redis,
  toKey: (name: string) => string,
  tickets: readonly string[],
): Promise<string[]> {
  const keys = tickets.flatMap((ticket) => [toKey(ticket), toKey(`${ticket}:lock`)]);
  return (await redis.eval(removeScript, keys.length, ...keys, ...tickets)) as string[];
}
