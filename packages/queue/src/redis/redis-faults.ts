import { findRedisFaults, type RedisFault, redisFaults } from "./find-redis-faults.ts";
import type { RedisConnection } from "./redis-connection.ts";

/**
 * Looks for faults of the server after each connection, and reports each that it finds as an error that says what to do.
 *
 * @returns a function that returns 1 for each fault that the last look found, and 0 for the others.
 */
export function watchRedisFaults(
  { redis }: Pick<RedisConnection, "redis">,
  report: (error: unknown) => void,
): () => Record<RedisFault, number> {
  let found: readonly RedisFault[] = [];

  async function look(): Promise<void> {
    found = await findRedisFaults(redis);
    for (const fault of found) report(new Error(redisFaults[fault]));
  }

  redis.on("ready", () => void look().catch(report));
  const isFound = (fault: RedisFault) => Number(found.includes(fault));
  return () => ({ eviction: isFound("eviction"), old_version: isFound("old_version") });
}
