/**
 * Calls `run` with a new abort controller, which the caller's signal also aborts. Removes its listener afterwards,
 * because the caller's signal may outlive many requests.
 */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  run: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await run(stop);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
