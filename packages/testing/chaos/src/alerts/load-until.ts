/**
 * Returns a signal that ends a load at once when `endLoad` is called. Its clients then do not wait for answers of
 * servers that are about to stop.
 */
export function loadUntil(signal: AbortSignal): { loadSignal: AbortSignal; endLoad(): void } {
  const ending = new AbortController();
  return { loadSignal: AbortSignal.any([signal, ending.signal]), endLoad: () => ending.abort() };
}
