import { useSyncExternalStore } from "react";

/**
 * The time of the video that is shown, in seconds. It changes many times a second, so it is not state of a component.
 */
export type Clock = {
  readonly now: () => number;
  readonly set: (seconds: number) => void;
  readonly subscribe: (listener: () => void) => () => void;
};

/** Returns a clock at 0. */
export function createClock(): Clock {
  const listeners = new Set<() => void>();
  let seconds = 0;
  return {
    now: () => seconds,
    set(next) {
      if (next === seconds) return;
      seconds = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the result of a function of the clock's time. The component renders again only when the result changes. */
export function useClock<Value extends string | number | boolean>(clock: Clock, of: (seconds: number) => Value): Value {
  return useSyncExternalStore(clock.subscribe, () => of(clock.now()));
}
