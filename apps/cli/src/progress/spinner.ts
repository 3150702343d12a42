import ora from "ora";
import type { Progress } from "video-to-json";
import type { Output } from "../surroundings.ts";
import type { Colours } from "../terminal/colours.ts";
import { printable } from "../terminal/printable.ts";
import type { Display } from "./open-display.ts";
import { type Stage, stageLine } from "./stage-line.ts";

const redrawMs = 100;
const usualColumns = 80;
// What the spinner itself takes, and a column that must stay free or the line wraps.
const margin = 3;

/** A display on a terminal: a spinner before one line that says where things are. */
export function openSpinner(terminal: { stderr: Output; colours: Colours }, name: string): Display {
  const { stderr, colours } = terminal;
  const spinner = ora({
    stream: stderr as NodeJS.WriteStream,
    // Who decides that this is a terminal has done so; and what is typed meanwhile is the shell's.
    isEnabled: true,
    discardStdin: false,
    color: colours.on ? "cyan" : false,
  });
  let now: { progress: Progress; since: number } | undefined;
  const draw = () => {
    if (!now) return;
    const stage: Stage = { progress: now.progress, elapsedMs: performance.now() - now.since };
    spinner.text = printable(stageLine(stage, name, (stderr.columns ?? usualColumns) - margin));
    if (!spinner.isSpinning) spinner.start();
  };
  const redraw = setInterval(draw, redrawMs);
  return {
    show(progress) {
      const goesOn = now?.progress.stage === progress.stage && !startsAnew(now.progress, progress);
      const stageIsNew = now?.progress.stage !== progress.stage;
      now = { progress, since: goesOn && now ? now.since : performance.now() };
      if (stageIsNew) draw();
    },
    end() {
      clearInterval(redraw);
      spinner.stop();
    },
  };
}

/** Whether an upload is another one than before, or a pause is. */
function startsAnew(before: Progress, after: Progress): boolean {
  if (before.stage === "uploading" && after.stage === "uploading") return after.sentBytes < before.sentBytes;
  return after.stage === "retrying";
}
