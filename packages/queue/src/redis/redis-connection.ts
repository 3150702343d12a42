import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Telemetry } from "bullmq";
import { Redis, type RedisOptions } from "ioredis";

/** The options that every part of this package takes. */
export type QueueOptions = {
  /** Address of the Redis server: `redis://…` or `rediss://…`. */
  redisUrl: string;
  /** Prefix of every key, so that several installations can share one server. */
  prefix: string;
  /** Receives each background error, the same error at most once in ten seconds. Must not throw. */
  onError(error: Error): void;
  /** Traces the tickets. Undefined: no traces. */
  telemetry?: QueueTelemetry | undefined;
};

/** Puts the trace of a request into its ticket, and traces what the queue does. */
export type QueueTelemetry = Telemetry;

/** Loads and creates the telemetry of the queue, for processes that write traces. */
export async function openQueueTelemetry(): Promise<QueueTelemetry> {
  const { BullMQOtel } = await import("bullmq-otel");
  return new BullMQOtel({ tracerName: "bullmq" });
}

const quietMs = 10_000;
const maxRemembered = 100;

/**
 * Returns a function that passes errors on, but the same error at most once in ten seconds. While a server is
 * unavailable, every connection reports every attempt to reconnect.
 */
export function createErrorReport(onError: (error: Error) => void): (error: unknown) => void {
  const reportedAt = new Map<string, number>();
  return (thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const code = "code" in error ? String(error.code) : "";
    const identity = `${error.name} ${code} ${error.message}`;
    const now = performance.now();
    if (now - (reportedAt.get(identity) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (reportedAt.size >= maxRemembered) reportedAt.clear();
    reportedAt.set(identity, now);
    onError(error);
  };
}

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
    // After a failover, the name of the server leads to another one, but this connection still leads to the old one.
    reconnectOnError: ({ message }) => message.startsWith("READONLY"),
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

/**
 * Splits a REDIS_URL into the server's address and the prefix of every Redis key: `v2j`, or the one that the URL's query
 * names (`redis://host:6379/0?prefix=other`).
 */
export function redisAddress(setting: string): { redisUrl: string; prefix: string } {
  const url = new URL(setting);
  const prefix = url.searchParams.get("prefix") ?? "v2j";
  url.searchParams.delete("prefix");
  return { redisUrl: url.href, prefix };
}
