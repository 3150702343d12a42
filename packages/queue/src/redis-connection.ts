import { Redis, type RedisOptions } from "ioredis";
import { within } from "./time-limit.ts";

/** One connection to Redis that comes back by itself for as long as it is open. */
export type RedisConnection = {
  redis: Redis;
  /** Resolves once connected; rejects after `ms` milliseconds without a connection. */
  connected(ms: number): Promise<void>;
  /** Resolves when the server answers; rejects within two seconds. */
  answers(): Promise<void>;
  close(): void;
};

const purposes = {
  // A request must not hang on a server that is away: commands fail at once instead of queueing up.
  asking: { enableOfflineQueue: false, maxRetriesPerRequest: 0, socketTimeout: 5_000 },
  // Workers and listeners must retryWhileUnavailable a restart: their commands wait for the server to come back. No blocking read
  // takes longer than five seconds, so a socket silent for twice that is dead.
  waiting: { maxRetriesPerRequest: null, socketTimeout: 10_000 },
} as const satisfies Record<string, RedisOptions>;

/** Opens a connection; faults go to `report`, never to an unheard `error` event. */
export function connect(
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

  // One listener however many wait: a listener each would be reported as a leak.
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
    if (redis.status !== "ready") await within(ms, "Connecting to Redis", up.promise);
  }
  return {
    redis,
    connected,
    async answers() {
      await connected(1_000);
      await within(1_000, "Redis", redis.ping());
    },
    close: () => redis.disconnect(),
  };
}
