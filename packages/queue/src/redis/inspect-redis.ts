import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { RedisConnection } from "./redis-connection.ts";

/** A fault of a Redis server. */
export type RedisFault = "eviction" | "old_version";

/** All faults, with what the operator should do. */
const redisFaults: Readonly<Record<RedisFault, string>> = {
  eviction: "Redis may delete tickets when its memory is full. Set maxmemory-policy to noeviction.",
  old_version: "This version of Redis is not supported. Use Redis 6.2 or newer.",
};

const minVersion = [6, 2] as const;

/**
 * Returns the faults of the server, as far as its version and settings can be read. Parts that it does not reveal, as
 * on many hosted servers, count as right.
 */
export async function findRedisFaults(redis: Redis): Promise<RedisFault[]> {
  const [info, settings] = await Promise.allSettled([redis.info("server"), redis.config("GET", "maxmemory-policy")]);
  const faults: RedisFault[] = [];
  const policy = settings.status === "fulfilled" ? policyIn(settings.value) : undefined;
  if (policy !== undefined && policy !== "noeviction") faults.push("eviction");
  if (info.status === "fulfilled" && isTooOld(info.value)) faults.push("old_version");
  return faults;
}

/** Returns whether the reply to INFO names a version that is too old. */
export function isTooOld(info: string): boolean {
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (major === undefined) return false;
  const [minMajor, minMinor] = minVersion;
  return Number(major) < minMajor || (Number(major) === minMajor && Number(minor) < minMinor);
}

/** Returns whether the reply to INFO is from a part of a cluster, of Redis or of Valkey. */
export function isCluster(info: string): boolean {
  return /^(?:redis|server)_mode:cluster/m.test(info);
}

/** Reads the reply to CONFIG GET: name and value. It is empty if the server hides the setting. */
function policyIn(reply: unknown): string | undefined {
  const value: unknown = Array.isArray(reply) ? reply[1] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** What a process has to know about its Redis. */
export type RedisFacts = {
  /** An id of the server's run: a restart changes it. Undefined if the server does not reveal it. */
  runId: string | undefined;
  usedBytes: number;
  /** 0 without a limit. */
  maxBytes: number;
  /** Whether the server has lost its data since this process last checked. */
  hasLostData: boolean;
};

/**
 * Returns a function that inspects the server. A mark in Redis shows whether its data was lost: by FLUSHALL, by a
 * restart without persistence, or by eviction. The function rejects if the server does not answer, refuses to write, or is
 * part of a Redis Cluster.
 */
export function createRedisInspection(redis: Redis, prefix: string): () => Promise<RedisFacts> {
  const key = `${prefix}:mark`;
  let known: string | undefined;

  /** Returns the mark, which the first process sets. */
  async function readMark(): Promise<string | undefined> {
    const mark = (await redis.get(key)) ?? undefined;
    if (mark !== undefined) return mark;
    await redis.set(key, randomUUID(), "NX");
    return (await redis.get(key)) ?? undefined;
  }

  return async () => {
    const server = await redis.info("server").catch(noText);
    if (isCluster(server)) {
      throw new Error("This is a Redis Cluster, which is not supported. Name one server in REDIS_URL, or Sentinel.");
    }
    const [memory, mark] = await Promise.all([
      redis.info("memory").catch(noText),
      readMark(),
      // A write that changes nothing. A server that became a replica, or whose disk is full, answers reads only.
      redis.persist(key),
    ]);
    const hasLostData = known !== undefined && mark !== known;
    known = mark ?? known;
    return {
      runId: /^run_id:(\S+)/m.exec(server)?.[1],
      usedBytes: Number(/^used_memory:(\d+)/m.exec(memory)?.[1] ?? 0),
      maxBytes: Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0),
      hasLostData,
    };
  };
}

/** Hosted servers may refuse INFO. */
function noText(): string {
  return "";
}

/** The result of the last search for faults of the server. */
export type RedisFaultWatch = {
  /** Searches again, because settings of a server may change while it runs. */
  look(): Promise<void>;
  /** Returns 1 for each fault that the last search found, and 0 for the others. */
  faults(): Record<RedisFault, number>;
};

/**
 * Searches for faults of the server after each connection, and when `look` is called. Reports each new fault as an
 * error that says what to do.
 */
export function watchRedisFaults(
  { redis }: Pick<RedisConnection, "redis">,
  report: (error: unknown) => void,
): RedisFaultWatch {
  let found: readonly RedisFault[] = [];

  async function look(): Promise<void> {
    const before = found;
    found = await findRedisFaults(redis);
    for (const fault of found) if (!before.includes(fault)) report(new Error(redisFaults[fault]));
  }

  redis.on("ready", () => {
    found = [];
    void look().catch(report);
  });
  const isFound = (fault: RedisFault) => Number(found.includes(fault));
  return { look, faults: () => ({ eviction: isFound("eviction"), old_version: isFound("old_version") }) };
}
