import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until the resident memory of a process has not decreased for `stillMs`, or has reached `enough` bytes, or one
 * minute is over. Returns the smallest value, in bytes. NaN when there is no such process.
 */
export function idleMemory(pid: number, stillMs: number, enough = 0): Promise<number> {
  return smallest(() => memoryOf(pid), stillMs, enough);
}

/** Waits in the same way for the number of open descriptors. Returns the smallest value. NaN without /proc. */
export function idleDescriptors(pid: number, stillMs: number, enough = 0): Promise<number> {
  return smallest(() => descriptorsOf(pid), stillMs, enough);
}

async function smallest(measure: () => number, stillMs: number, enough: number): Promise<number> {
  let lowest = measure();
  const end = performance.now() + maxMs;
  for (let fell = performance.now(); performance.now() < Math.min(end, fell + stillMs) && lowest > enough; ) {
    await sleep(250);
    const now = measure();
    // Some pages are always allocated and freed.
    if (now < 0.99 * lowest) fell = performance.now();
    lowest = Math.min(lowest, now);
  }
  return lowest;
}

const maxMs = 60_000;

function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return Number.NaN;
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return Number.NaN;
  }
}
