import type { Progress } from "video-to-json";
import type { Io } from "../io.ts";
import { type Colours, printable } from "../terminal.ts";
import { namedLine, stageLine } from "./stage-line.ts";

type Terminal = Pick<Io, "env" | "stderr" | "process"> & { colours: Colours };

type Shown = { video: ShownVideo; step: Step; since: number };

const redrawMs = 100;
const defaultColumns = 80;
const defaultRows = 24;
// Hides the cursor and turns off line wrap, so that the terminal cuts long lines. It knows the widths of its
// characters.
const hide = "\u001b[?25l\u001b[?7l";
const unhide = "\u001b[?7h\u001b[?25h";
const clearToEnd = "\u001b[J";

/**
 * Opens a display of one updating line with a spinner for each video, which begins with its name if there are `several`.
 * The cursor comes back even if the process exits.
 */
export function openLiveLines({ env, stderr, process, colours }: Terminal, { several }: { several: boolean }): Display {
  const frames = [...(env.TERM === "linux" ? "-\\|/" : "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")];
  const videos = new Map<string, Shown>();
  let frame = 0;
  let height = 0;
  let isOpen = false;

  const lineOf = ({ video, step, since }: Shown): string => {
    // A terminal without a window may report 0 columns.
    const columns = (stderr.columns || defaultColumns) - 3;
    const stage = { step, elapsedMs: performance.now() - since };
    const line = several ? namedLine(stage, video, columns) : stageLine(stage, video.name ?? video.argument, columns);
    return `${colours.paint("cyan", frames[frame % frames.length] ?? "")} ${printable(line)}`;
  };
  /** Puts the cursor where the first line begins. */
  const home = () => (height > 1 ? `\r\u001b[${height - 1}A` : "\r");
  const clear = () => {
    if (height > 0) stderr.write(home() + clearToEnd);
    height = 0;
  };
  const draw = () => {
    // A line that has scrolled off the top of the terminal cannot be cleared.
    const shown = [...videos.values()].slice(0, Math.max(1, (stderr.rows || defaultRows) - 1));
    if (shown.length === 0) return clear();
    stderr.write(home() + clearToEnd + shown.map(lineOf).join("\n"));
    height = shown.length;
    frame++;
  };
  let redraw: NodeJS.Timeout | undefined;
  const open = () => {
    isOpen = true;
    stderr.write(hide);
    process.on("exit", close);
    redraw = setInterval(draw, redrawMs);
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(redraw);
    process.off("exit", close);
    clear();
    stderr.write(unhide);
  };
  return {
    show(video, step) {
      if (!isOpen) open();
      const before = videos.get(video.argument);
      const isNew = before?.step.stage !== step.stage;
      const since = before && !isNew && !isRestart(before.step, step) ? before.since : performance.now();
      videos.set(video.argument, { video, step, since });
      if (isNew) draw();
    },
    remove(video) {
      if (videos.delete(video.argument) && isOpen) draw();
    },
    aside(write) {
      if (!isOpen) return write();
      clear();
      stderr.write(unhide);
      try {
        write();
      } finally {
        stderr.write(hide);
        draw();
      }
    },
    close,
  };
}

/** Returns whether the same stage starts again: a repeated upload or the next retry. */
function isRestart(before: Step, after: Step): boolean {
  if (before.stage === "uploading" && after.stage === "uploading") return after.sentBytes < before.sentBytes;
  return after.stage === "retrying";
}

/** A step of a video: what the SDK reports, or that the video is read from standard input. */
export type Step = Progress | { stage: "reading"; readBytes: number };

/** A video in the display, known by its argument. For uploads, the file's name is shown. */
export type ShownVideo = { argument: string; name?: string };

/** Shows the progress of videos on standard error. */
export type Display = {
  show(video: ShownVideo, step: Step): void;
  /** Stops showing a video. */
  remove(video: ShownVideo): void;
  /** Calls a function that writes lines to the terminal, while the progress is hidden. */
  aside(write: () => void): void;
  /** Restores the terminal. May be called twice. */
  close(): void;
};
