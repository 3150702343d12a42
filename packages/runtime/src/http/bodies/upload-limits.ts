import type { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";
import type { Request } from "express";
import { watchMinimumRate } from "../../timing/minimum-rate.ts";

/** Counts the long bodies that one process is receiving. */
export type BodyLimiter = {
  /**
   * Calls `read` and counts the body for its owner until `read` has finished. It ignores a short body and one
   * that has arrived already. If `max` bodies of the owner are in flight, throws the limiter's code before any of the
   * body is read.
   */
  run<T>(request: Request, owner: { id: string; max: number }, read: () => Promise<T>): Promise<T>;
};

const shortBytes = 64 * 1024;
const retryAfterSeconds = 5;

/**
 * Creates a limiter of the long request bodies that an owner may have in flight. A further body is refused with `code`.
 *
 * @example
 * const bodies = limitConcurrentBodies("too_many_jobs");
 * const text = await bodies.run(request, { id: accountId, max: 10 }, () => readTextBody(rate, request, response));
 */
export function limitConcurrentBodies(code: "too_many_jobs" | "rate_limited"): BodyLimiter {
  const inFlight = new Map<string, number>();
  return {
    async run(request, { id, max }, read) {
      const length = Number(request.get("content-length") ?? Number.POSITIVE_INFINITY);
      if (length <= shortBytes || request.complete) return read();
      const others = inFlight.get(id) ?? 0;
      if (others >= max) {
        const reason = `${max} requests of this account are still being received.`;
        throw code === "too_many_jobs"
          ? new Problem("too_many_jobs", { reason }, { retryAfterSeconds })
          : new Problem("rate_limited", { reason }, { retryAfterSeconds });
      }
      inFlight.set(id, others + 1);
      try {
        return await read();
      } finally {
        const left = (inFlight.get(id) ?? 1) - 1;
        if (left > 0) inFlight.set(id, left);
        else inFlight.delete(id);
      }
    },
  };
}

/** The lowest accepted rate of an upload. */
export type UploadRate = {
  /** The longest pause without a byte, and the window over which the rate is measured. */
  readonly uploadIdleSeconds: number;
  readonly uploadMinBytesPerSecond: number;
};

/**
 * Watches an upload while `source` emits data. Calls `fail` once, with invalid_request, when the upload pauses or is
 * slower than the minimum rate. Call `stop` when the upload has ended.
 *
 * @example
 * const watch = enforceMinimumUploadRate(request, rate, (problem) => request.destroy(problem));
 * request.once("close", watch.stop);
 */
export function enforceMinimumUploadRate(
  source: Readable,
  rate: UploadRate,
  fail: (problem: Problem) => void,
): { stop(): void } {
  const { uploadIdleSeconds: seconds, uploadMinBytesPerSecond: minBytesPerSecond } = rate;
  const watch = watchMinimumRate({
    minBytesPerSecond,
    windowMs: seconds * 1000,
    maxIdleMs: seconds * 1000,
    // Storage may be slow or unavailable.
    isHeldUp: () => source.isPaused(),
    onTooSlow: () => {
      stop();
      const reason = `The upload paused for ${seconds} s or was slower than ${minBytesPerSecond} bytes a second. Send it again over a faster connection, or send its URL.`;
      fail(new Problem("invalid_request", { reason }));
    },
  });
  const count = (chunk: Buffer) => watch.count(chunk.length);
  const stop = () => {
    watch.stop();
    source.off("data", count);
  };
  source.on("data", count);
  return { stop };
}
