import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A process's resident memory in bytes once it is at rest: the least that is seen until it has not fallen for
 * `stillMs`, or has come down to `enough`, or a minute is over. Not a number when there is no such process.
 */
export function restingMemory(pid: number, stillMs: number, enough = 0): Promise<number> {
  return leastOf(() => memoryOf(pid), stillMs, enough);
}

/** How many descriptors a process holds open once it is at rest, in the same sense. Not a number without /proc. */
export function restingDescriptors(pid: number, stillMs: number, enough = 0): Promise<number> {
  return leastOf(() => descriptorsOf(pid), stillMs, enough);
}

async function leastOf(measure: () => number, stillMs: number, enough: number): Promise<number> {
  let least = measure();
  const end = performance.now() + longestMs;
  for (let fell = performance.now(); performance.now() < Math.min(end, fell + stillMs) && least > enough; ) {
    await sleep(250);
    const now = measure();
    // A page or two come and go all the time.
    if (now < 0.99 * least) fell = performance.now();
    least = Math.min(least, now);
  }
  return least;
}

const longestMs = 60_000;

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
