type Terminal = { write(text: string): unknown; isTTY?: boolean };

/** A line that shows the current step. A terminal overwrites it; a log gets it every ten seconds. */
export type StatusLine = { show(what: string): void; done(): void };

const everyMs = 10_000;

/** Creates a status line on a terminal, usually stderr. */
export function statusLine(terminal: Terminal): StatusLine {
  const startedAt = Date.now();
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    show(what) {
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      const line = `${seconds} s: ${what}`;
      if (terminal.isTTY) return void terminal.write(`\r\x1b[2K${line}`);
      if (Date.now() - writtenAt < everyMs) return;
      writtenAt = Date.now();
      terminal.write(`${line}\n`);
    },
    done: () => void (terminal.isTTY && terminal.write("\n")),
  };
}
