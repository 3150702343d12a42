import { createFairLine } from "./fair-line.ts";

/** Places that accounts share in the order of a fair line. */
export type FairPlaces = {
  /**
   * Waits for a place and runs `work` in it. Throws the reason of `signal` if it aborts first, or the error of `work`.
   */
  run<T>(account: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

/** Opens `count` places in this process. */
export function openFairPlaces(count: number): FairPlaces {
  const line = createFairLine<() => void>();
  let free = count;

  function fill(): void {
    while (free > 0) {
      const start = line.next();
      if (!start) return;
      free--;
      start();
    }
  }

  function take(account: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        if (line.remove(account, start)) reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      line.add(account, start);
      fill();
    });
  }

  return {
    async run(account, signal, work) {
      await take(account, signal);
      try {
        return await work();
      } finally {
        line.end(account);
        free++;
        fill();
      }
    },
  };
}
