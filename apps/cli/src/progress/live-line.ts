import type { Progress } from "video-to-json";
import type { Io } from "../io.ts";
import type { Colours } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import type { Display } from "./display.ts";
import { stageLine } from "./stage-line.ts";

type Terminal = Pick<Io, "env" | "stderr" | "process"> & { colours: Colours };

const redrawMs = 100;
const defaultColumns = 80;
// Hides the cursor and turns off line wrap: the terminal cuts long lines, because it knows its characters' widths.
const start = "\u001b[?25l\u001b[?7l";
const clear = "\r\u001b[2K";
const restore = `${clear}\u001b[?7h\u001b[?25h`;

/** Opens a display of one updating line with a spinner. The cursor comes back even if the process exits. */
export function openLiveLine({ env, stderr, process, colours }: Terminal, name: string): Display {
  const frames = [...(env.TERM === "linux" ? "-\\|/" : "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")];
  let now: { progress: Progress; since: number } | undefined;
  let frame = 0;
  const draw = () => {
    if (!now) return;
    // A terminal without a window may report 0 columns.
    const columns = (stderr.columns || defaultColumns) - 3;
    const line = stageLine({ progress: now.progress, elapsedMs: performance.now() - now.since }, name, columns);
    stderr.write(`${clear}${colours.paint("cyan", frames[frame % frames.length] ?? "")} ${printable(line)}`);
    frame++;
  };
  const close = () => {
    clearInterval(redraw);
    process.off("exit", close);
    stderr.write(restore);
  };
  stderr.write(start);
  process.on("exit", close);
  const redraw = setInterval(draw, redrawMs);
  return {
    show(progress) {
      const stageIsNew = now?.progress.stage !== progress.stage;
      const since = now && !stageIsNew && !isRestart(now.progress, progress) ? now.since : performance.now();
      now = { progress, since };
      if (stageIsNew) draw();
    },
    close,
  };
}

/** Whether the same stage starts again: a repeated upload or the next retry. */
function isRestart(before: Progress, after: Progress): boolean {
  if (before.stage === "uploading" && after.stage === "uploading") return after.sentBytes < before.sentBytes;
  return after.stage === "retrying";
}
