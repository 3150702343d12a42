const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signals that ask this process to end. */
export type Interruption = {
  /** Aborts at the first signal. */
  signal: AbortSignal;
  /** Rejects at the same moment; never resolves. */
  interrupted: Promise<never>;
  stopListening(): void;
};

/** Listens for Ctrl-C, SIGTERM and SIGHUP. The first starts a graceful end, the second ends the process at once. */
export function interruption(): Interruption {
  const controller = new AbortController();
  let reject: (reason: Error) => void = () => {};
  const interrupted = new Promise<never>((_, rejectIt) => {
    reject = rejectIt;
  });
  interrupted.catch(() => {});
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    reject(new Error("Interrupted."));
    console.error("\nInterrupted, cleaning up … (Ctrl-C again ends at once)");
  };
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    interrupted,
    stopListening() {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
