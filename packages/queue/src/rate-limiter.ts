import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { openErrorReport } from "./error-report.ts";
import type { QueueOptions } from "./queue-options.ts";
import { connect } from "./redis-connection.ts";
import { timePasses, within } from "./time-limit.ts";
import { openWindowCounter, type WindowCounter } from "./window-counter.ts";

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
  /**
   * Takes one of the `perMinute` requests that an account, or an address without one, has of a kind. Answers within a
   * quarter of a second, in the first second of the process within that.
   */
  take(bucket: "extract" | "read" | "unauthorised", whose: string, perMinute: number): Promise<RateLimitAnswer>;
  close(): Promise<void>;
};

const startMs = 1_000;
const answerMs = 250;
const askAgainMs = 500;
const windowSeconds = 60;
const mostKeys = 100_000;

/**
 * Opens the limiter (docs/decisions/0001, "Limits"). All processes count together in Redis; while Redis is away each
 * goes by its own count, so that no request fails for Redis' sake, and only those under way when it went have waited.
 */
export function openRateLimiter(options: QueueOptions): RateLimiter {
  const report = openErrorReport(options.onError);
  const connection = connect({ redisUrl: options.redisUrl, report }, "asking");
  const shared = new Map<number, RateLimiterRedis>();
  const own = new Map<string, WindowCounter>();
  let away = false;
  let closed = false;
  // Just after the start the connection is given its moment; later nobody waits for one.
  const started = connection.connected(startMs).catch(isAway);

  /** One for each limit in use. In Redis all of them count the same requests. */
  function sharedFor(points: number): RateLimiterRedis {
    const known = shared.get(points);
    if (known) return known;
    const made = new RateLimiterRedis({
      storeClient: connection.redis,
      rejectIfRedisNotReady: true,
      keyPrefix: `${options.prefix}:limit`,
      points,
      duration: windowSeconds,
    });
    shared.set(points, made);
    return made;
  }

  /** A counter a bucket: no flood of addresses makes it forget accounts. */
  function ownFor(bucket: string): WindowCounter {
    const known = own.get(bucket);
    if (known) return known;
    const made = openWindowCounter({ windowMs: windowSeconds * 1_000, mostKeys });
    own.set(bucket, made);
    return made;
  }

  /** Nobody else waits for a server that did not answer: one question at a time finds out when it does again. */
  function isAway(error: unknown): void {
    report(error);
    if (away) return;
    away = true;
    void untilItAnswers();
  }

  async function untilItAnswers(): Promise<void> {
    while (away && !closed) {
      await timePasses(askAgainMs);
      away = await connection.answers().then(
        () => false,
        () => true,
      );
    }
  }

  async function count(bucket: string, whose: string, points: number): Promise<{ count: number; msLeft: number }> {
    await started;
    // Counted here in any case: when Redis goes, nobody begins anew.
    const here = ownFor(bucket).add(whose);
    if (!away) {
      try {
        const counting = sharedFor(points).consume(`${bucket}:${whose}`);
        return counted(await within(answerMs, "Counting a request", counting));
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return counted(refusal);
        isAway(refusal);
      }
    }
    return here;
  }

  return {
    async take(bucket, whose, perMinute) {
      const taken = await count(bucket, whose, perMinute);
      return {
        allowed: taken.count <= perMinute,
        limit: perMinute,
        remaining: Math.max(0, perMinute - taken.count),
        resetSeconds: Math.max(1, Math.ceil(taken.msLeft / 1_000)),
        windowSeconds,
      };
    },
    async close() {
      closed = true;
      connection.close();
    },
  };
}

function counted(result: RateLimiterRes): { count: number; msLeft: number } {
  return { count: result.consumedPoints, msLeft: result.msBeforeNext };
}
