import { unrefDelay, withTimeLimit } from "@video-to-json/runtime/timing";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { createErrorReport, openRedisConnection, type QueueOptions } from "../redis/redis-connection.ts";

/** Counts events by key in a fixed window that starts with the key's first event. */
export type WindowCounter = {
  /** Counts one event. Returns the count in the current window and the rest of the window in milliseconds. */
  add(key: string): { count: number; msLeft: number };
};

/**
 * Creates a counter in the memory of this process. It remembers `maxKeys` keys and forgets the oldest first, so that
 * callers cannot fill the memory. `now` returns milliseconds.
 */
export function createWindowCounter(
  { windowMs, maxKeys }: { windowMs: number; maxKeys: number },
  now: () => number = () => performance.now(),
): WindowCounter {
  // In the order in which the windows started, which is also the order in which they end.
  const windows = new Map<string, { count: number; endsAt: number }>();
  return {
    add(key) {
      const time = now();
      let window = windows.get(key);
      if (!window || window.endsAt <= time) {
        windows.delete(key);
        window = { count: 0, endsAt: time + windowMs };
        windows.set(key, window);
        for (const [oldest, { endsAt }] of windows) {
          if (endsAt > time && windows.size <= maxKeys) break;
          windows.delete(oldest);
        }
      }
      window.count += 1;
      return { count: window.count, msLeft: window.endsAt - time };
    },
  };
}

/** Whether a request is allowed, and the state of the limit for the response headers. */
export type RateLimitAnswer = {
  allowed: boolean;
  limit: number;
  /** How many more requests the window allows. */
  remaining: number;
  /** Seconds until the window ends and the full limit is available again: 1 or more. */
  resetSeconds: number;
  windowSeconds: number;
};

/**
 * The counted things: requests of accounts, requests of addresses without an account, and attempts to sign in to the
 * dashboard.
 */
type Bucket = "extract" | "read" | "unauthorised" | "dashboard" | "sign-in" | "sign-in-day" | "code";

/** Counts requests in windows of time. */
export type RateLimiter = {
  /**
   * Counts one request of an owner against its limit. Resolves within a quarter of a second; during the first second of
   * the process, within 1.25 s.
   *
   * @param seconds the length of the window; a minute by default. It belongs to the bucket and never changes.
   */
  take(bucket: Bucket, owner: string, limit: number, seconds?: number): Promise<RateLimitAnswer>;
  close(): Promise<void>;
};

const minConnectMs = 1_000;
const pingEveryMs = 500;
const minute = 60;
const maxKeys = 100_000;

type Count = { count: number; msLeft: number };

type RateLimiterOptions = QueueOptions & {
  /**
   * How long one request may wait for Redis before the process uses its own count, in milliseconds; 250 by default. A
   * test that counts requests gives Redis more, because the two counts differ after a busy machine has delayed a reply.
   */
  maxAnswerMs?: number;
  /** Called for each request that is not allowed. */
  onRefused?(bucket: Bucket): void;
};

/**
 * Opens the limiter (docs/decisions/0001, "Limits"). All processes share one count in Redis. While Redis is
 * unavailable, each process uses its own count, so that no request fails and only the requests in flight at that moment
 * are delayed.
 *
 * @example
 * const { allowed, remaining, resetSeconds } = await limiter.take("read", accountId, 600);
 */
export function openRateLimiter({ maxAnswerMs = 250, onRefused, ...options }: RateLimiterOptions): RateLimiter {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "request");
  const sharedCounters = new Map<string, RateLimiterRedis>();
  const localCounters = new Map<string, WindowCounter>();
  let isRedisUnavailable = false;
  let closed = false;
  // Only the first requests of a process wait for a connection.
  const started = connection.connected(Math.max(minConnectMs, maxAnswerMs)).catch(useLocalCount);

  /** Returns the counter for this limit. All of them count the same requests in Redis. */
  function sharedCounter(points: number, duration: number): RateLimiterRedis {
    const name = `${points}/${duration}`;
    const known = sharedCounters.get(name);
    if (known) return known;
    const counter = new RateLimiterRedis({
      storeClient: connection.redis,
      rejectIfRedisNotReady: true,
      keyPrefix: `${options.prefix}:limit`,
      points,
      duration,
    });
    sharedCounters.set(name, counter);
    return counter;
  }

  /** Returns the counter of this bucket. One for each bucket, so that a flood of addresses evicts no accounts. */
  function localCounter(bucket: string, seconds: number): WindowCounter {
    const known = localCounters.get(bucket);
    if (known) return known;
    const counter = createWindowCounter({ windowMs: seconds * 1_000, maxKeys });
    localCounters.set(bucket, counter);
    return counter;
  }

  /** Makes all requests use the local count until a ping in the background succeeds. */
  function useLocalCount(error: unknown): void {
    report(error);
    if (isRedisUnavailable) return;
    isRedisUnavailable = true;
    void pingUntilAvailable();
  }

  async function pingUntilAvailable(): Promise<void> {
    while (isRedisUnavailable && !closed) {
      await unrefDelay(pingEveryMs);
      isRedisUnavailable = await connection.ping().then(
        () => false,
        () => true,
      );
    }
  }

  async function count(bucket: string, owner: string, points: number, seconds: number): Promise<Count> {
    await started;
    // Also counted locally, so that when Redis fails, the local count continues where the shared one stopped.
    const local = localCounter(bucket, seconds).add(owner);
    if (isRedisUnavailable) return local;
    try {
      const counting = sharedCounter(points, seconds).consume(`${bucket}:${owner}`);
      return countOf(await withTimeLimit(maxAnswerMs, "Counting a request", counting));
    } catch (rejection) {
      // `consume` rejects with the count when the limit is exceeded.
      if (rejection instanceof RateLimiterRes) return countOf(rejection);
      useLocalCount(rejection);
      return local;
    }
  }

  return {
    async take(bucket, owner, limit, seconds = minute) {
      const taken = await count(bucket, owner, limit, seconds);
      const allowed = taken.count <= limit;
      if (!allowed) onRefused?.(bucket);
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - taken.count),
        resetSeconds: Math.max(1, Math.ceil(taken.msLeft / 1_000)),
        windowSeconds: seconds,
      };
    },
    async close() {
      closed = true;
      connection.close();
    },
  };
}

function countOf(result: RateLimiterRes): Count {
  return { count: result.consumedPoints, msLeft: result.msBeforeNext };
}
