/** Counts what happens under each key, in a window that begins with the first of it. */
export type WindowCounter = {
  /** Adds one; gives how many there are now and how many milliseconds are left of the window. */
  add(key: string): { count: number; msLeft: number };
};

/**
 * Opens a counter in this process' memory. It remembers `mostKeys` keys at most and forgets the oldest first, so that
 * no number of callers can fill the memory. `now` gives milliseconds.
 */
export function openWindowCounter(
  { windowMs, mostKeys }: { windowMs: number; mostKeys: number },
  now: () => number = () => performance.now(),
): WindowCounter {
  // In the order in which the windows began, hence in that in which they end.
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
          if (endsAt > time && windows.size <= mostKeys) break;
          windows.delete(oldest);
        }
      }
      window.count += 1;
      return { count: window.count, msLeft: window.endsAt - time };
    },
  };
}
