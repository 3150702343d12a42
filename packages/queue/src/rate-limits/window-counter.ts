/** Counts events by key in a fixed window that starts with the key's first event. */
export type WindowCounter = {
  /** Counts one event. Returns the count in the current window and the rest of the window in milliseconds. */
  add(key: string): { count: number; msLeft: number };
};

/**
 * Creates a counter in the memory of this process. It remembers `maxKeys` keys and forgets the oldest first, so that
 * callers cannot fill the memory. `now` returns milliseconds.
 */
export function createWindowCounter(
  { windowMs, maxKeys }: { windowMs: number; maxKeys: number },
  now: () => number = () => performance.now(),
): WindowCounter {
  // In the order in which the windows started, which is also the order in which they end.
  const windows = new Map<string, { count: number; endsAt: number }>();
  return {
    add(key) {
      const time = now();
      let window = windows.get(key);
      if (!window || window.endsAt <= time) {
        windows.delete(key);
        window = { count: 0, endsAt: time + windowMs };
        windows.set(key, window);
        for (const [oldest, { endsAt }] of windows) {
          if (endsAt > time && windows.size <= maxKeys) break;
          windows.delete(oldest);
        }
      }
      window.count += 1;
      return { count: window.count, msLeft: window.endsAt - time };
    },
  };
}
