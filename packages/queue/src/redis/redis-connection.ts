import { withTimeLimit } from "@video-to-json/runtime/timing";
import { Redis, type RedisOptions } from "ioredis";

/** One connection to Redis. It reconnects by itself until it is closed. */
export type RedisConnection = {
  redis: Redis;
  /** Resolves once connected. Rejects after `ms` milliseconds without a connection. */
  connected(ms: number): Promise<void>;
  /** Resolves when the server answers. Rejects within two seconds. */
  ping(): Promise<void>;
  close(): void;
};

const purposes = {
  // A request must not hang while the server is unavailable: commands fail at once instead of queueing up. The commands of
  // many requests are sent together.
  request: { enableOfflineQueue: false, maxRetriesPerRequest: 0, socketTimeout: 5_000, enableAutoPipelining: true },
  // Workers and listeners outlast a restart of Redis: their commands wait for the server. No blocking read takes longer
  // than five seconds, so a socket that is silent for twice that is dead.
  background: { maxRetriesPerRequest: null, socketTimeout: 10_000 },
} as const satisfies Record<string, RedisOptions>;

/** Opens a connection. Errors go to `report`, because an `error` event without a listener ends the process. */
export function openRedisConnection(
  options: { redisUrl: string; report(error: unknown): void },
  purpose: keyof typeof purposes,
): RedisConnection {
  const redis = new Redis(options.redisUrl, {
    ...purposes[purpose],
    connectTimeout: 3_000,
    disconnectTimeout: 500,
    retryStrategy: (times) => Math.min(50 * 2 ** (times - 1), 1_000) + Math.random() * 100,
  });
  redis.on("error", options.report);

  // One listener for any number of waits: Node reports many listeners as a leak.
  let up = Promise.withResolvers<void>();
  let isUp = false;
  redis.on("ready", () => {
    isUp = true;
    up.resolve();
  });
  redis.on("close", () => {
    if (isUp) up = Promise.withResolvers<void>();
    isUp = false;
  });

  async function connected(ms: number): Promise<void> {
    if (redis.status !== "ready") await withTimeLimit(ms, "Connecting to Redis", up.promise);
  }
  return {
    redis,
    connected,
    async ping() {
      await connected(1_000);
      await withTimeLimit(1_000, "Redis", redis.ping());
    },
    close: () => redis.disconnect(),
  };
}
