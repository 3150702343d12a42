const quietMs = 10_000;

/**
 * Reports each fault once, then holds its repetitions back for ten seconds: a server that is away makes every
 * connection complain at every attempt.
 */
export function openErrorReport(onError: (error: Error) => void): (error: unknown) => void {
  const reported = new Map<string, number>();
  return (thrown) => {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const code = "code" in error ? String(error.code) : "";
    const fault = `${error.name} ${code} ${error.message}`;
    const now = Date.now();
    if (now - (reported.get(fault) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (reported.size >= 100) reported.clear();
    reported.set(fault, now);
    onError(error);
  };
}
