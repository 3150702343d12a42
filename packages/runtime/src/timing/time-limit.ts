/**
 * Waits for `work`, but no longer than `ms` milliseconds. The work itself is not cancelled.
 *
 * @param what names the work in the error's message, or creates the error.
 * @returns the result of `work`.
 * @throws the error of `work`, or an error that names `what` when the time is up.
 * @example
 * await withTimeLimit(1_000, "Redis", redis.ping()); // "Redis took longer than 1000 ms."
 */
export async function withTimeLimit<T>(ms: number, what: string | (() => Error), work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const expire = () => reject(typeof what === "string" ? new Error(`${what} took longer than ${ms} ms.`) : what());
    // After a pause of the whole process, timers fire before sockets are read. One more turn of the event loop reads an
    // answer that arrived in time.
    timer = setTimeout(() => setImmediate(expire), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the time in whole milliseconds since 1970 by a clock that never jumps: the time of day when this process started, and
 * the time since then. Deadlines and durations inside a process count by it (docs/decisions/0001, "Isolation").
 */
export function steadyNow(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

/** Resolves after `ms` milliseconds. The timer does not keep the process alive. */
export function unrefDelay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
