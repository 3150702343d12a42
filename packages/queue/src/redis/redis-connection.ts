import type { EventEmitter } from "node:events";
import { readRedisAddress } from "@video-to-json/runtime/redis-address";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Telemetry } from "bullmq";
import { type AbstractConnector, Redis, type RedisOptions, SentinelConnector } from "ioredis";
import standalone from "ioredis/built/connectors/StandaloneConnector.js";

/** The options that every part of this package takes. */
export type QueueOptions = {
  /** Address of Redis, as REDIS_URL names it; a prefix in it is ignored. */
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

// ioredis hears one error of a stream. A TLS stream may have two: the certificate that this process refuses, and what the
// server sends at that moment. An `error` event without a listener ends the process.
const forgiving = <Stream extends EventEmitter>(stream: Stream): Stream => stream.on("error", () => {});

type From = Parameters<AbstractConnector["connect"]>;
class ForgivingStandalone extends standalone.default {
  override connect = async (...from: From) => forgiving(await super.connect(...from));
}

// ioredis opens a connection to each sentinel by itself. The method that does it is private in its types only.
type AskingSentinels = Omit<SentinelConnector, "connectToSentinel"> & {
  connectToSentinel(sentinel: object, options?: object): Redis;
};
class ForgivingSentinel extends (SentinelConnector as unknown as new (options: object) => AskingSentinels) {
  #emit: From[0] | undefined;
  override connect = async (...from: From) => {
    this.#emit = from[0];
    return forgiving(await super.connect(...from));
  };
  override connectToSentinel(sentinel: object, options?: object) {
    const client = super.connectToSentinel(sentinel, { ...options, Connector: ForgivingStandalone });
    // ioredis drops this error, and says only that no sentinel is reachable.
    return client.on("error", (error) => this.#emit?.("error", error));
  }
}

/** Opens a connection. Errors go to `report`, because an `error` event without a listener ends the process. */
export function openRedisConnection(
  options: { redisUrl: string; report(error: unknown): void },
  purpose: keyof typeof purposes,
): RedisConnection {
  const settings: Omit<RedisOptions, "replyMapping"> = {
    ...serverOf(options.redisUrl),
    ...purposes[purpose],
    connectTimeout: 3_000,
    disconnectTimeout: 500,
    // After a failover, the name of the server leads to another one, but this connection still leads to the old one.
    // A primary that has lost its replicas may be the old one.
    reconnectOnError: ({ message }) => /^(READONLY|NOREPLICAS)/.test(message),
    retryStrategy: pause,
  };
  const redis = new Redis(settings);
  let lastError: unknown;
  redis.on("error", (error) => {
    if (!error.message.startsWith("All sentinels are unreachable")) lastError = error;
    options.report(error);
  });

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
    if (redis.status === "ready") return;
    const explain = () => new Error(`Connecting to Redis took longer than ${ms} ms.${reasonOf(lastError)}`);
    await withTimeLimit(ms, explain, up.promise);
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

/** Returns what is wrong with the connection, for operators. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || error.message === "") return "";
  const advice = /certificate|altnames/i.test(error.message) ? " Correct the host, or `ca`, in REDIS_URL." : "";
  return ` ${error.message.replace(/\.?$/, ".")}${advice}`;
}

/** Returns how to reach the server, or the sentinels that know where it is. */
function serverOf(redisUrl: string): RedisOptions {
  const { hosts, primary, username, password, database: db, ...address } = readRedisAddress(redisUrl);
  const tls = address.isEncrypted ? { ...(address.ca && { ca: address.ca }) } : undefined;
  const login = { db, ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
  type Connector = NonNullable<RedisOptions["Connector"]>;
  if (primary === undefined) return { ...hosts[0], ...login, Connector: ForgivingStandalone as Connector };
  return {
    ...login,
    Connector: ForgivingSentinel as unknown as Connector,
    sentinels: hosts,
    name: primary,
    ...(address.sentinelUsername && { sentinelUsername: address.sentinelUsername }),
    ...(address.sentinelPassword && { sentinelPassword: address.sentinelPassword }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
    sentinelCommandTimeout: 1_000,
    sentinelRetryStrategy: pause,
  };
}

function pause(times: number): number {
  return Math.min(50 * 2 ** (times - 1), 1_000) + Math.random() * 100;
}

/** Returns what the parts of this package take from a REDIS_URL: the address, and the prefix of every Redis key. */
export function redisAddress(setting: string): { redisUrl: string; prefix: string } {
  return { redisUrl: setting, prefix: readRedisAddress(setting).prefix };
}
