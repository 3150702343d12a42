import type { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";
import { watchMinimumRate } from "../../timing/minimum-rate.ts";

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
