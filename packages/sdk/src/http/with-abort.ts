// For a longer delay, setTimeout fires at once.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls `run` with a new abort controller, which the caller's signal also aborts. After `timeout` milliseconds, the
 * controller aborts with the error that `timeout` creates. Removes its listener afterwards, because the caller's signal
 * may outlive many requests.
 */
export async function withAbort<T>(
  { signal, timeout }: { signal: AbortSignal | undefined; timeout?: { ms: number; error: () => Error } | undefined },
  run: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer =
    timeout && timeout.ms <= maxTimerMs ? setTimeout(() => stop.abort(timeout.error()), timeout.ms) : undefined;
  try {
    return await run(stop);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}
