import { askRedis } from "@video-to-json/testing/running";

// The keys of a queue without entries: its settings, its newest events and its counters. The limit of permits. Counts of requests expire. A
// mark shows whether Redis has lost its data.
const script = [
  "local left = {}",
  "for _, key in ipairs(redis.call('KEYS', 'v2j:*')) do",
  "local name = string.match(key, '^v2j:extractions:(.*)$')",
  "local kept = { meta = 1, events = 1, id = 1, limiter = 1, marker = 1, ['stalled-check'] = 1 }",
  "local counts = string.match(key, '^v2j:limit:') and redis.call('PTTL', key) ~= -1",
  "if not counts and key ~= 'v2j:mark' and key ~= 'v2j:permits:limit' and not (name and kept[name]) then left[#left + 1] = key end",
  "end",
  "return table.concat(left, ' ', 1, math.min(#left, 100))",
].join(" ");

/** Returns the keys of a quiet service's Redis that belong to no queue without entries, one line each, 100 at most. */
export async function findRedisLeftovers(redisUrl: string): Promise<string[]> {
  const [, keys = ""] = (await askRedis(redisUrl, `EVAL "${script}" 0`)).split("\r\n");
  return keys.split(" ").flatMap((key) => (key === "" ? [] : [`Redis: ${key}`]));
}
