import type { QueueTelemetry } from "../telemetry/open-queue-telemetry.ts";

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
