const quietMs = 10_000;
const maxRemembered = 100;

/**
 * Returns a function that passes errors on, but the same error at most once in ten seconds. While a server is
 * unavailable, every connection reports every attempt to reconnect.
 */
export function createErrorReport(onError: (error: Error) => void): (error: unknown) => void {
  const reportedAt = new Map<string, number>();
  return (thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const code = "code" in error ? String(error.code) : "";
    const identity = `${error.name} ${code} ${error.message}`;
    const now = performance.now();
    if (now - (reportedAt.get(identity) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (reportedAt.size >= maxRemembered) reportedAt.clear();
    reportedAt.set(identity, now);
    onError(error);
  };
}
