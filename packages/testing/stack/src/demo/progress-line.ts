/** The parts of a terminal that a progress line uses. */
export type Terminal = { write(text: string): unknown; isTTY?: boolean };

/** A line that shows the current step. On a terminal each step overwrites the last; otherwise each is one line. */
export type ProgressLine = {
  /** Shows the bytes sent as a bar. */
  sent(bytes: number, total: number): void;
  /** Shows what the program waits for, with the seconds so far. */
  waiting(what: string): void;
  /** Ends the line. */
  done(): void;
};

const width = 30;

/** Creates a progress line on a terminal, usually stderr: stdout is for results. */
export function progressLine(terminal: Terminal): ProgressLine {
  const startedAt = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let shown = "";
  const show = (text: string) => {
    if (terminal.isTTY) terminal.write(`\r\x1b[2K${text}`);
    shown = text;
  };
  return {
    sent(bytes, total) {
      const filled = Math.round((width * bytes) / total);
      const bar = "█".repeat(filled) + "░".repeat(width - filled);
      show(`${bar} ${Math.floor((100 * bytes) / total)} % of ${Math.ceil(total / 1024)} KiB sent`);
    },
    waiting(what) {
      if (shown && !terminal.isTTY) terminal.write(`${shown}\n`);
      const sent = shown;
      const tick = () => show(`${sent ? `${sent} · ` : ""}${what}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
      tick();
      timer = setInterval(tick, 250);
    },
    done() {
      clearInterval(timer);
      terminal.write(terminal.isTTY ? "\n" : `${shown}\n`);
    },
  };
}
