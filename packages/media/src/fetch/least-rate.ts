/** Calls `tooSlow` at the end of the first whole window in which too few bytes were counted. */
export function watchRate(options: { minBytesPerSecond: number; windowMs: number; tooSlow: () => void }): {
  count(bytes: number): void;
  stop(): void;
} {
  let bytesInWindow = 0;
  const timer = setInterval(() => {
    if (bytesInWindow < (options.minBytesPerSecond * options.windowMs) / 1000) options.tooSlow();
    bytesInWindow = 0;
  }, options.windowMs);
  return {
    count: (bytes) => {
      bytesInWindow += bytes;
    },
    stop: () => clearInterval(timer),
  };
}
