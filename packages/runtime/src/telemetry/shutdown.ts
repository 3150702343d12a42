import type { Logger } from "./log/log.ts";

type Step = { name: string; close(): unknown };

/**
 * Shuts the process down on the first SIGTERM or SIGINT: closes `steps` one after the other, then exits with 0, or
 * with 1 if a step failed. A second signal exits at once. An uncaught error is logged and exits with 1, because a
 * process in an unknown state must not handle money.
 *
 * @example
 * onShutdown(log, [{ name: "server", close: () => server.close() }, { name: "database", close: () => database.close() }]);
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
      try {
        log.fatal({ err: error }, event);
      } finally {
        process.exit(1);
      }
    });
  }
}
