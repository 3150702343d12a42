import { isUuid } from "@video-to-json/contract";
import type { Redis } from "ioredis";
import { extractionQueue } from "./ticket.ts";

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

type Leftovers = {
  prefix: string;
  /** Younger entries stay. It is longer than any job lives. */
  minAgeMs: number;
  stop: AbortSignal;
};

/** The number of keys that one command reads. */
const stepSize = 1_000;

/** An entry without a time has lost it, so it counts as old. The server's clock shows how old the others are. */
const script = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local removed = 0
for i = 1, #KEYS, 2 do
  local times = redis.call("HMGET", KEYS[i], "timestamp", "processedOn")
  local newest = math.max(tonumber(times[1]) or 0, tonumber(times[2]) or 0)
  if now - newest > tonumber(ARGV[1]) and redis.call("EXISTS", KEYS[i + 1]) == 0 then
    removed = removed + redis.call("UNLINK", KEYS[i])
  end
end
return removed`;

/**
 * Removes tickets that the queue has lost: Redis kept their data but not their place in a list. Reads a thousand keys at
 * a time and no list. So it also removes the data of entries that have waited for longer than `minAgeMs`. They do not
 * need it: without data, they still make a worker claim a job. Running entries are locked and stay.
 *
 * @returns how many it removed.
 */
export async function removeLeftovers(redis: Redis, { prefix, minAgeMs, stop }: Leftovers): Promise<number> {
  const start = `${prefix}:${extractionQueue}:`;
  // Nothing of ours stays in these sets. Lost settings may have filled them.
  await redis.unlink(`${start}completed`, `${start}failed`);
  let removed = 0;
  let cursor = "0";
  do {
    const [next, found] = await redis.scan(
      cursor,
      "MATCH",
      `${escapeGlob(prefix)}:*`,
      "COUNT",
      stepSize,
      "TYPE",
      "hash",
    );
    cursor = next;
    const entries = found.filter((key) => key.startsWith(start) && isUuid(key.slice(start.length)));
    const keys = entries.flatMap((key) => [key, `${key}:lock`]);
    if (keys.length > 0) removed += Number(await redis.eval(script, keys.length, ...keys, minAgeMs));
  } while (cursor !== "0" && !stop.aborted);
  return removed;
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, "\\$&");
}
