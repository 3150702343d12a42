type Terminal = { write(text: string): unknown; isTTY?: boolean };

/** A line that is written over as things go on; where that cannot be, it is told every ten seconds. */
export type LiveLine = { tell(what: string): void; done(): void };

const everyMs = 10_000;

/** Makes a live line on a terminal, usually stderr. */
export function liveLine(terminal: Terminal): LiveLine {
  const startedAt = Date.now();
  let told = Number.NEGATIVE_INFINITY;
  return {
    tell(what) {
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      const line = `${seconds} s: ${what}`;
      if (terminal.isTTY) return void terminal.write(`\r\x1b[2K${line}`);
      if (Date.now() - told < everyMs) return;
      told = Date.now();
      terminal.write(`${line}\n`);
    },
    done: () => void (terminal.isTTY && terminal.write("\n")),
  };
}
