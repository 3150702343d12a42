/** What a progress line needs of a terminal. */
export type Terminal = { write(text: string): unknown; isTTY?: boolean };

/** A line that is written over as things go on; where that cannot be, each thing is told once. */
export type ProgressLine = {
  /** Bytes that have left, as a bar. */
  sent(bytes: number, total: number): void;
  /** Something that takes as long as it takes, with the seconds so far. */
  waiting(what: string): void;
  /** Leaves the line as it is and goes to the next. */
  done(): void;
};

const width = 30;

/** Makes a progress line on a terminal, usually stderr: stdout is for what was asked for. */
export function progressLine(terminal: Terminal): ProgressLine {
  const startedAt = Date.now();
  let timer: NodeJS.Timeout | undefined;
  let told = "";
  const show = (text: string) => {
    if (terminal.isTTY) terminal.write(`\r\x1b[2K${text}`);
    told = text;
  };
  return {
    sent(bytes, total) {
      const filled = Math.round((width * bytes) / total);
      const bar = "█".repeat(filled) + "░".repeat(width - filled);
      show(`${bar} ${Math.floor((100 * bytes) / total)} % of ${Math.ceil(total / 1024)} KiB sent`);
    },
    waiting(what) {
      if (told && !terminal.isTTY) terminal.write(`${told}\n`);
      const sent = told;
      const tick = () => show(`${sent ? `${sent} · ` : ""}${what}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
      tick();
      timer = setInterval(tick, 250);
    },
    done() {
      clearInterval(timer);
      terminal.write(terminal.isTTY ? "\n" : `${told}\n`);
    },
  };
}
