export type MinimumRate = {
  /** Fewer bytes a second, averaged over one window, are too slow. */
  readonly minBytesPerSecond: number;
  /** The length of a window, in milliseconds. */
  readonly windowMs: number;
  /** A pause longer than this, without any byte, counts as too slow, in milliseconds. No limit by default. */
  readonly maxIdleMs?: number;
  /** Whether the receiver has stopped reading. Then the sender is not to blame, and the window starts again. */
  isHeldUp?(): boolean;
  /** Called at most once. */
  onTooSlow(): void;
};

/**
 * A process that was stopped loses one step, not the window, because its timer fires once for all the time that passed.
 */
const stepsPerWindow = 10;

/** A step that ends later than this shows that the process stood still. It says nothing about the sender. */
const maxLateMs = 1000;

/**
 * Watches a stream of bytes and reports it when it is too slow. A pause of the whole process does not count against
 * the sender.
 *
 * @returns `count`, to call with the number of bytes of each chunk, and `stop`, to call when the stream has ended.
 * @example
 * const rate = watchMinimumRate({ minBytesPerSecond: 1024, windowMs: 10_000, onTooSlow: () => request.destroy() });
 * request.on("data", (chunk) => rate.count(chunk.length)).on("close", rate.stop);
 */
export function watchMinimumRate(options: MinimumRate): { count(bytes: number): void; stop(): void } {
  const { minBytesPerSecond, windowMs, maxIdleMs = Number.POSITIVE_INFINITY } = options;
  const stepMs = windowMs / stepsPerWindow;
  let bytes = 0;
  let steps = 0;
  let idleSteps = 0;
  let stepStartedAt = performance.now();

  const timer = setInterval(() => {
    const now = performance.now();
    const isLate = now - stepStartedAt > stepMs + maxLateMs;
    stepStartedAt = now;
    // Bytes that arrived meanwhile have not been read yet, so the window starts again.
    if (isLate || options.isHeldUp?.()) return startWindow();
    steps++;
    idleSteps++;
    const isWindowOver = steps === stepsPerWindow;
    const isTooSlow = isWindowOver && bytes < (minBytesPerSecond * windowMs) / 1000;
    if (isTooSlow || idleSteps * stepMs > maxIdleMs) {
      clearInterval(timer);
      options.onTooSlow();
    } else if (isWindowOver) {
      bytes = steps = 0;
    }
  }, stepMs);

  function startWindow() {
    bytes = steps = idleSteps = 0;
  }

  return {
    count(length) {
      bytes += length;
      idleSteps = 0;
    },
    stop: () => clearInterval(timer),
  };
}
