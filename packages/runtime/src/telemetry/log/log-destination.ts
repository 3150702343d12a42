import { writeSync } from "node:fs";

const standardOutput = 1;
const maxWaitingBytes = 1024 * 1024;
const retryMs = 20;
const maxExitMs = 200;

/**
 * Opens standard output for a log that may lose lines and never stops the process: `write` does not throw, and does not
 * wait for a reader. Lines wait in memory, 1 MiB at most, while a pipe or a socket is full. Lines that cannot be written
 * (full disk, no reader, no room in memory) are dropped. A process that exits tries for 0.2 s to write what waits.
 *
 * @param onDropped is called with the number of lines that were dropped.
 */
export function openLogDestination(onDropped: (lines: number) => void): { write(line: string): void } {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let retry: NodeJS.Timeout | undefined;
  /** The output ended in the middle of a line. */
  let isTorn = false;
  let isPrepared = false;

  function write(line: string): void {
    if (!isPrepared) prepare();
    const bytes = Buffer.from(line);
    if (waitingBytes + bytes.length > maxWaitingBytes) {
      onDropped(1);
      return;
    }
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (retry === undefined) flush();
  }

  function flush(): void {
    retry = undefined;
    try {
      writeWaiting();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") retry = setTimeout(flush, retryMs).unref();
      else dropWaiting();
    }
  }

  function writeWaiting(): void {
    for (let [first] = waiting; first; [first] = waiting) {
      const written = writeSync(standardOutput, first);
      waitingBytes -= written;
      isTorn = written < first.length;
      if (isTorn) waiting[0] = first.subarray(written);
      else waiting.shift();
    }
  }

  function dropWaiting(): void {
    onDropped(waiting.length);
    // The rest of a torn line is lost. The next line must not continue it.
    waiting = isTorn ? [Buffer.from("\n")] : [];
    waitingBytes = waiting.length;
  }

  function prepare(): void {
    isPrepared = true;
    // Node makes pipes and sockets non-blocking when it opens these streams. A library that writes to them must not end
    // the process either.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    process.once("exit", writeBeforeExit);
  }

  function writeBeforeExit(): void {
    const endsAt = performance.now() + maxExitMs;
    while (waiting.length > 0 && performance.now() < endsAt) {
      clearTimeout(retry);
      flush();
      if (retry) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
  return { write };
}
