import { findRedisFaults, type RedisFault, redisFaults } from "./find-redis-faults.ts";
import type { RedisConnection } from "./redis-connection.ts";

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
