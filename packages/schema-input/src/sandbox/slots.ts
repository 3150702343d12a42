/** A bounded number of places. */
export type Slots = {
  /** Waits for a free place, in order of asking; disposing gives it back. Throws the signal's reason when that aborts. */
  take(signal?: AbortSignal): Promise<Disposable>;
};

/**
 * Opens `count` places. The time limit of a task must not run while it waits behind others, which is why waiting is not
 * left to the pool.
 */
export function openSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  return {
    async take(signal) {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await turn(signal);
      return { [Symbol.dispose]: giveBack };
    },
  };

  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      waiting.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  function giveBack(): void {
    const [next] = waiting;
    if (!next) {
      free++;
      return;
    }
    waiting.delete(next);
    next();
  }
}
