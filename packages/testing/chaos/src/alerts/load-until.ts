/**
 * Returns a signal for a load that nobody waits for: its clients give up when `endLoad` is called, and do not wait for
 * servers that are about to stop.
 */
export function loadUntil(signal: AbortSignal): { loadSignal: AbortSignal; endLoad(): void } {
  const ending = new AbortController();
  return { loadSignal: AbortSignal.any([signal, ending.signal]), endLoad: () => ending.abort() };
}
