/**
 * Runs something with a controller of its own that the caller's signal aborts too, with the caller's reason. Nothing is
 * left on the caller's signal, which may outlive many requests.
 */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  run: (stop: AbortController) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const pass = () => stop.abort(signal?.reason);
  if (signal?.aborted) pass();
  signal?.addEventListener("abort", pass, { once: true });
  try {
    return await run(stop);
  } finally {
    signal?.removeEventListener("abort", pass);
  }
}
