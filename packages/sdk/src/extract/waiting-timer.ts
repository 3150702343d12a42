const intervalMs = 1000;

/** Calls `report` with the elapsed milliseconds at once and then every second. Returns the function that stops it. */
export function startWaitingTimer(report: (elapsedMs: number) => void): () => void {
  const start = Date.now();
  report(0);
  const timer = setInterval(() => report(Date.now() - start), intervalMs);
  return () => clearInterval(timer);
}
