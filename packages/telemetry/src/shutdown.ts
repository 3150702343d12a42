import type { Logger } from "./log.ts";

type Step = { name: string; close(): unknown };

/**
 * Runs the steps one after the other on the first SIGTERM or SIGINT, then ends the process: with 0, or with 1 when a
 * step failed. A second signal ends it at once. An error that nothing caught is logged and ends it too: a process in
 * an unknown state must not go on with money.
 */
export function onShutdown(log: Logger, steps: readonly Step[]): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "shutting down");
    let failed = false;
    for (const step of steps) {
      try {
        await step.close();
      } catch (error) {
        failed = true;
        log.error({ err: error, step: step.name }, "a step of the shutdown failed");
      }
    }
    log.info("shut down");
    process.exit(failed ? 1 : 0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  }
}
