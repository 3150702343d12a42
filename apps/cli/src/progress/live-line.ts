import type { Progress } from "video-to-json";
import type { Io } from "../io.ts";
import type { Colours } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import type { Display } from "./open-display.ts";
import { stageLine } from "./stage-line.ts";

type Terminal = Pick<Io, "env" | "stderr" | "process"> & { colours: Colours };

const redrawMs = 100;
const usualColumns = 80;
// What is too long is cut by the terminal, whose idea of a letter's width is the one that counts.
const start = "\u001b[?25l\u001b[?7l";
const clear = "\r\u001b[2K";
const restore = `${clear}\u001b[?7h\u001b[?25h`;

/** A display on a terminal: a spinner before one line that says where things are. The cursor comes back whatever ends it. */
export function openLiveLine({ env, stderr, process, colours }: Terminal, name: string): Display {
  const frames = [...(env.TERM === "linux" ? "-\\|/" : "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")];
  let now: { progress: Progress; since: number } | undefined;
  let frame = 0;
  const draw = () => {
    if (!now) return;
    // Terminals that nobody looks at may be 0 columns wide.
    const columns = (stderr.columns || usualColumns) - 3;
    const line = stageLine({ progress: now.progress, elapsedMs: performance.now() - now.since }, name, columns);
    stderr.write(`${clear}${colours.paint("cyan", frames[frame % frames.length] ?? "")} ${printable(line)}`);
    frame++;
  };
  const end = () => {
    clearInterval(redraw);
    process.off("exit", end);
    stderr.write(restore);
  };
  stderr.write(start);
  process.on("exit", end);
  const redraw = setInterval(draw, redrawMs);
  return {
    show(progress) {
      const stageIsNew = now?.progress.stage !== progress.stage;
      const since = now && !stageIsNew && !startsAnew(now.progress, progress) ? now.since : performance.now();
      now = { progress, since };
      if (stageIsNew) draw();
    },
    end,
  };
}

/** Whether an upload is another one than before, or a pause is. */
function startsAnew(before: Progress, after: Progress): boolean {
  if (before.stage === "uploading" && after.stage === "uploading") return after.sentBytes < before.sentBytes;
  return after.stage === "retrying";
}
