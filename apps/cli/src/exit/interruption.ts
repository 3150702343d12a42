import type { Io } from "../io.ts";
import { exitCodes } from "./exit-codes.ts";

/** Turns SIGINT and SIGTERM into an abort. */
export type Interruption = Disposable & {
  readonly signal: AbortSignal;
  /** The exit code. Valid after the signal is aborted. */
  exitCode(): number;
};

/** Listens for SIGINT and SIGTERM until it is disposed. The second signal ends the process at once. */
export function openInterruption({ process }: Pick<Io, "process">): Interruption {
  const controller = new AbortController();
  let code: number = exitCodes.interrupted;
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(code);
    code = name === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
    controller.abort(new Error(`Received ${name}.`));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]: () => process.off("SIGINT", onSignal).off("SIGTERM", onSignal),
  };
}
