import { setTimeout as delay } from "node:timers/promises";
import { logTail } from "./log-tail.ts";
import { endedEarly, type RunningProcess } from "./start-process.ts";

const everyMs = 25;

/**
 * Calls `probe` until it does not throw. Returns its result.
 * Throws with the end of the log when the process ends before that, or is not ready within `timeoutMs` (60 s).
 */
export async function untilReady<T>(started: RunningProcess, probe: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const stop = new AbortController();
  const early = endedEarly(started);
  early.catch(() => {});
  try {
    return await Promise.race([early, poll(started, probe, timeoutMs, stop.signal)]);
  } finally {
    stop.abort();
  }
}

async function poll<T>(
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
        throw new Error(`${started.name} is not ready after ${seconds} s. The end of its log:\n${tail}`, { cause });
      }
    }
    await delay(everyMs);
  }
}
