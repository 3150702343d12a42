import { type Limits, Problem } from "@video-to-json/contract";
import type { RateLimiter } from "@video-to-json/queue";
import type { Response } from "express";
import { tellRateLimit } from "./rate-limit-headers.ts";

type Deps = {
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Pick<Limits, "unauthorisedPerMinute">;
};

const mostAddresses = 10_000;

/**
 * Limits what comes from one address without a live key (docs/decisions/0003, "Attempts without a live key"). Only such
 * attempts are counted and only they are refused: whoever has a live key is never locked out by those who share the
 * address. What their guesses cost is bounded instead: those of an address over its limit are looked up one at a time.
 */
export function openUnauthorisedAttempts({ limiter, limits }: Deps) {
  // In the order in which they were refused; what no longer applies is dropped when it is met, or is the oldest.
  const over = new Map<string, { until: number; last: Promise<unknown> }>();

  return {
    /** Looks a key up, in its turn when the address is over its limit. */
    async lookUp<T>(address: string, look: () => Promise<T>): Promise<T> {
      const queue = over.get(address);
      if (!queue) return look();
      if (queue.until <= performance.now()) over.delete(address);
      const found = queue.last.then(look);
      queue.last = found.catch(() => {});
      return found;
    },
    /** Counts an attempt that failed, and has the response tell of the limit. Throws rate_limited. */
    async count(address: string, response: Response): Promise<void> {
      const answer = await limiter.take("unauthorised", address, limits.unauthorisedPerMinute);
      tellRateLimit(response, "unauthorised", answer);
      if (answer.allowed) return;
      const last = over.get(address)?.last ?? Promise.resolve();
      over.delete(address);
      over.set(address, { until: performance.now() + answer.resetSeconds * 1000, last });
      const [oldest] = over.keys();
      if (over.size > mostAddresses && oldest !== undefined) over.delete(oldest);
      throw new Problem(
        "rate_limited",
        {
          reason: `This address sent more than ${answer.limit} requests without a live key in a minute. Send a live key.`,
        },
        { retryAfterSeconds: answer.resetSeconds },
      );
    },
  };
}
