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
