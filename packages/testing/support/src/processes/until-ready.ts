import { setTimeout as delay } from "node:timers/promises";
import { logTail } from "./log-tail.ts";
import { endedEarly, type RunningProcess } from "./start-process.ts";

const everyMs = 25;

/**
 * Asks `probe` until it does not throw, and gives what it gave.
 * Throws with the end of the process's log when it ends before that, or is not ready in `timeoutMs` (60 s).
 */
export async function untilReady<T>(started: RunningProcess, probe: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const stop = new AbortController();
  const early = endedEarly(started);
  early.catch(() => {});
  try {
    return await Promise.race([early, asking(started, probe, timeoutMs, stop.signal)]);
  } finally {
    stop.abort();
  }
}

async function asking<T>(
  started: RunningProcess,
  probe: () => Promise<T>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  while (true) {
    try {
      return await probe();
    } catch (cause) {
      signal.throwIfAborted();
      if (Date.now() > deadline) {
        const seconds = Math.round(timeoutMs / 1000);
        const tail = await logTail(started.logFile);
        throw new Error(`${started.name} is not ready after ${seconds} s. Its last words:\n${tail}`, { cause });
      }
    }
    await delay(everyMs);
  }
}
