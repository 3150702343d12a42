import type { Io } from "../io.ts";
import { coloursFor } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import type { Display } from "./display.ts";
import { openLiveLine } from "./live-line.ts";
import { loggedLine } from "./stage-line.ts";

type Options = { name: string; noColor: boolean; quiet: boolean };

/**
 * Opens a display on standard error: one updating line on a terminal, else one line per stage, or nothing with `quiet`.
 * `name` is the name of the video.
 */
export function openDisplay(
  { env, stderr, process }: Pick<Io, "env" | "stderr" | "process">,
  { name, noColor, quiet }: Options,
): Display {
  if (stderr.isTTY && env.TERM !== "dumb") {
    return openLiveLine({ env, stderr, process, colours: coloursFor({ env, stream: stderr, noColor }) }, name);
  }
  let last: string | undefined;
  return {
    show(progress) {
      const line = loggedLine(progress, name);
      if (quiet || line === last) return;
      last = line;
      stderr.write(`${printable(line)}\n`);
    },
    close() {},
  };
}
