import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { openRedisConnection, type QueueOptions } from "../redis/redis-connection.ts";

/** What a process tells Redis and wants from it. Everything is in one command. */
type Exchange = {
  /** The ids of new leases that the process wants. Those for accounts that do not pay begin with `freePrefix`. */
  readonly wanted?: readonly string[];
  /** How many jobs of accounts that pay wait in the process. */
  readonly paying?: number;
  readonly held?: readonly string[];
  readonly given?: readonly string[];
  /** Pauses all processes, in milliseconds. Never shortens a pause. */
  readonly pauseMs?: number;
};

type Outcome = {
  readonly granted: readonly string[];
  /** The held leases that Redis does not count: another process may have their permits. */
  readonly lost: readonly string[];
};

/** The leases of one process in the set of all processes. */
export type PermitLeases = {
  exchange(asked: Exchange): Promise<Outcome>;
  isConnected(): boolean;
  close(): void;
};

/** The start of the id of a lease for an account that does not pay. */
export const freePrefix = "free:";

/** How long the lease of a dead process stays valid. */
const leaseMs = 6_000;
/** A process that waits asks far more often. */
const maxSilenceMs = 1_000;

/**
 * KEYS: the leases (a sorted set by the time of their end), the waiting processes (a hash of "since:seen:paying"), the
 * limit, the pause. Processes that wait take turns: one that got a lease is behind the others from then on. While a job of
 * an account that pays waits anywhere, the others together get new leases up to half of the limit only, and a process
 * ahead whose jobs do not pay does not keep one that pays waiting.
 *
 * A process first sets its own limit. Later, a missing limit shows that Redis has lost its data. Then the script
 * gives no lease until every process has noticed that it has lost its own.
 */
const script = `
local ask = cjson.decode(ARGV[1])
local leases, waiting, limit, pause = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local function pauseFor(ms)
  if redis.call("PTTL", pause) < ms then redis.call("SET", pause, "", "PX", ms) end
end
if ask.pauseMs > 0 then pauseFor(ask.pauseMs) end
if #ask.given > 0 then redis.call("ZREM", leases, unpack(ask.given)) end
local lost, granted = {}, {}
if #ask.held == 0 and #ask.wanted == 0 then return { granted, lost } end

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(ask.held) do
  if redis.call("ZSCORE", leases, id) then redis.call("ZADD", leases, now + ask.leaseMs, id)
  else lost[#lost + 1] = id end
end
if #ask.held > 0 then redis.call("PEXPIRE", leases, ask.leaseMs) end
if #ask.wanted == 0 then return { granted, lost } end

local most, paused = unpack(redis.call("MGET", limit, pause))
if ask.isFirst or not most then
  paused = paused or not ask.isFirst
  most = ask.limit
  redis.call("SET", limit, most)
  if not ask.isFirst then pauseFor(ask.leaseMs) end
end
local free = most - redis.call("ZCARD", leases)
if free < #ask.wanted then free = free + redis.call("ZREMRANGEBYSCORE", leases, "-inf", now) end
local since, others, payingWaits = now, {}, ask.paying > 0
local entries = redis.call("HGETALL", waiting)
for i = 1, #entries, 2 do
  local from, seen, paying = string.match(entries[i + 1], "(%d+):(%d+):?(%d*)")
  if entries[i] == ask.process then since = tonumber(from)
  elseif now - seen > ask.maxSilenceMs then redis.call("HDEL", waiting, entries[i])
  else
    local pays = (tonumber(paying) or 0) > 0
    payingWaits = payingWaits or pays
    others[#others + 1] = { from = tonumber(from), pays = pays }
  end
end
local ahead, aheadPaying = 0, 0
for _, other in ipairs(others) do
  if other.from < since then
    ahead = ahead + 1
    if other.pays then aheadPaying = aheadPaying + 1 end
  end
end
local function isFree(id) return string.sub(id, 1, #ask.freePrefix) == ask.freePrefix end
local freeLeases, freeMost = 0, most + 0
if payingWaits then
  freeMost = most / 2
  for _, id in ipairs(redis.call("ZRANGE", leases, 0, -1)) do
    if isFree(id) then freeLeases = freeLeases + 1 end
  end
end
local payingGranted = 0
for _, id in ipairs(paused and {} or ask.wanted) do
  local asksFree = isFree(id)
  local room = free - (asksFree and ahead or aheadPaying)
  if #granted < room and not (asksFree and freeLeases >= freeMost) then
    redis.call("ZADD", leases, now + ask.leaseMs, id)
    granted[#granted + 1] = id
    if asksFree then freeLeases = freeLeases + 1 else payingGranted = payingGranted + 1 end
  end
end
if #granted > 0 then redis.call("PEXPIRE", leases, ask.leaseMs) end
if #granted < #ask.wanted then
  if #granted > 0 then since = now end
  redis.call("HSET", waiting, ask.process, since .. ":" .. now .. ":" .. (ask.paying - payingGranted))
  redis.call("PEXPIRE", waiting, ask.maxSilenceMs)
elseif #entries > 0 then
  redis.call("HDEL", waiting, ask.process)
end
return { granted, lost }`;

type Scripted = Redis & { exchangeLeases(...args: string[]): Promise<[string[], string[]]> };

/** Opens the leases of this process. All processes together have at most `limit` leases. */
export function openPermitLeases(
  { redisUrl, prefix, limit }: Pick<QueueOptions, "redisUrl" | "prefix"> & { limit: number },
  report: (error: unknown) => void,
): PermitLeases {
  const connection = openRedisConnection({ redisUrl, report }, "background");
  connection.redis.defineCommand("exchangeLeases", { numberOfKeys: 4, lua: script });
  const redis = connection.redis as Scripted;
  const keys = ["leases", "waiting", "limit", "pause"].map((name) => `${prefix}:permits:${name}`);
  const process = randomUUID();
  let isFirst = true;

  return {
    async exchange({ wanted = [], paying = 0, held = [], given = [], pauseMs = 0 }) {
      const ask = { process, limit, leaseMs, maxSilenceMs, isFirst, freePrefix, wanted, paying, held, given, pauseMs };
      const [granted, lost] = await redis.exchangeLeases(...keys, JSON.stringify(ask));
      if (wanted.length > 0) isFirst = false;
      return { granted, lost };
    },
    isConnected: () => redis.status === "ready",
    close: connection.close,
  };
}
