import type { Io } from "../io.ts";
import { coloursFor } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import type { Display } from "./display.ts";
import { openLiveLines } from "./live-lines.ts";
import { loggedLine } from "./stage-line.ts";

type Options = {
  noColor: boolean;
  /** Shows nothing. */
  quiet: boolean;
  /** Whether to print stages as lines when the output is not a terminal. */
  logs: boolean;
  /** Whether each line begins with the name of its video. */
  several: boolean;
};

/**
 * Opens a display on standard error: on a terminal one updating line for each video, elsewhere one line for each stage, or
 * nothing.
 */
export function openDisplay(
  { env, stderr, process }: Pick<Io, "env" | "stderr" | "process">,
  { noColor, quiet, logs, several }: Options,
): Display {
  if (!quiet && stderr.isTTY && env.TERM !== "dumb") {
    return openLiveLines({ env, stderr, process, colours: coloursFor({ env, stream: stderr, noColor }) }, { several });
  }
  const last = new Map<string, string>();
  return {
    show({ argument, name = argument }, step) {
      const line = loggedLine(step, name);
      if (quiet || !logs || line === last.get(argument)) return;
      last.set(argument, line);
      stderr.write(`${printable(several ? `${argument}: ${line}` : line)}\n`);
    },
    remove() {},
    aside: (write) => write(),
    close() {},
  };
}
