/**
 * Calls `tooSlow` at the end of the first whole window in which too few bytes were counted. A window that ends more than a
 * second late is not judged: it was this process that stood still.
 */
export function watchRate(options: { minBytesPerSecond: number; windowMs: number; tooSlow: () => void }): {
  count(bytes: number): void;
  stop(): void;
} {
  let bytesInWindow = 0;
  let startedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const inTime = now - startedAt <= options.windowMs + mostLateMs;
    if (inTime && bytesInWindow < (options.minBytesPerSecond * options.windowMs) / 1000) options.tooSlow();
    bytesInWindow = 0;
    startedAt = now;
  }, options.windowMs);
  return {
    count: (bytes) => {
      bytesInWindow += bytes;
    },
    stop: () => clearInterval(timer),
  };
}

const mostLateMs = 1000;
