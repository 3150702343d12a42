import type { Redis } from "ioredis";

/** A fault of a Redis server. */
export type RedisFault = "eviction" | "old_version";

/** All faults, with what the operator should do. */
export const redisFaults: Readonly<Record<RedisFault, string>> = {
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

/** Reads the reply to CONFIG GET: name and value. It is empty if the server hides the setting. */
function policyIn(reply: unknown): string | undefined {
  const value: unknown = Array.isArray(reply) ? reply[1] : undefined;
  return typeof value === "string" ? value : undefined;
}
