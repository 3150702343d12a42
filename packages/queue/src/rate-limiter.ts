import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { openErrorReport } from "./error-report.ts";
import type { QueueOptions } from "./queue-options.ts";
import { connect } from "./redis-connection.ts";
import { within } from "./time-limit.ts";

/** Whether a request may go on, and what to tell the caller of the limit. */
export type RateLimitAnswer = {
  allowed: boolean;
  limit: number;
  /** What is left of the limit. */
  remaining: number;
  /** When the limit is whole again, in seconds from now: 1 or more. */
  resetSeconds: number;
  windowSeconds: number;
};

/** Counts requests a minute. */
export type RateLimiter = {
  /** Takes one of the account's `perMinute` requests out of the bucket. Answers within a quarter of a second. */
  take(bucket: "extract" | "read", accountId: string, perMinute: number): Promise<RateLimitAnswer>;
  close(): Promise<void>;
};

const startMs = 1_000;
const answerMs = 250;
const windowSeconds = 60;

/**
 * Opens the limiter (docs/decisions/0001, "Limits"). All processes count together in Redis; while Redis is away each
 * counts by itself, so that no request fails for Redis' sake.
 */
export function openRateLimiter(options: QueueOptions): RateLimiter {
  const report = openErrorReport(options.onError);
  const connection = connect({ redisUrl: options.redisUrl, report }, "asking");
  // Just after the start the connection is given its moment; later nobody waits for one.
  const started = connection.connected(startMs).catch(report);
  const limiters = new Map<number, { shared: RateLimiterRedis; own: RateLimiterMemory }>();

  /** One pair for each limit in use. In Redis all of them count the same requests. */
  function limitersFor(points: number) {
    const known = limiters.get(points);
    if (known) return known;
    const settings = { keyPrefix: `${options.prefix}:limit`, points, duration: windowSeconds };
    const made = {
      shared: new RateLimiterRedis({ ...settings, storeClient: connection.redis, rejectIfRedisNotReady: true }),
      own: new RateLimiterMemory(settings),
    };
    limiters.set(points, made);
    return made;
  }

  async function consume(key: string, points: number): Promise<RateLimiterRes> {
    const { shared, own } = limitersFor(points);
    try {
      return await within(answerMs, "Counting a request", shared.consume(key));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw refusal;
      report(refusal);
      return own.consume(key);
    }
  }

  return {
    async take(bucket, accountId, perMinute) {
      await started;
      const { allowed, result } = await consume(`${bucket}:${accountId}`, perMinute).then(
        (result) => ({ allowed: true, result }),
        (refusal: RateLimiterRes) => ({ allowed: false, result: refusal }),
      );
      return {
        allowed,
        limit: perMinute,
        remaining: Math.max(0, perMinute - result.consumedPoints),
        resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1_000)),
        windowSeconds,
      };
    },
    async close() {
      connection.close();
    },
  };
}
