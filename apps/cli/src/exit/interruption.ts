import type { Io } from "../io.ts";
import { exitCodes } from "./exit-codes.ts";

/** Ctrl-C and a request to end, as an abort. */
export type Interruption = Disposable & {
  readonly signal: AbortSignal;
  /** What to exit with; only once the signal is aborted. */
  exitCode(): number;
};

/** Listens for SIGINT and SIGTERM until it is disposed. The second of them ends the process at once. */
export function openInterruption({ process }: Pick<Io, "process">): Interruption {
  const controller = new AbortController();
  let code: number = exitCodes.interrupted;
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(code);
    code = name === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
    controller.abort(new Error(`Received ${name}.`));
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]: () => process.off("SIGINT", stop).off("SIGTERM", stop),
  };
}
