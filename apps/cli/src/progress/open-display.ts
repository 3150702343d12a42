import type { Progress } from "video-to-json";
import type { Io } from "../io.ts";
import { coloursFor } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import { openLiveLine } from "./live-line.ts";
import { loggedLine } from "./stage-line.ts";

/** Shows how a request comes along; `end` leaves the terminal as it was. */
export type Display = {
  show(progress: Progress): void;
  end(): void;
};

type Options = { name: string; noColor: boolean; quiet: boolean };

/**
 * A display on standard error: on a terminal one line that moves, else a line for each stage, or with `quiet` none.
 * `name` is what the video is called.
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
    end() {},
  };
}
