import { useSyncExternalStore } from "react";
import type { Clock } from "./clock.ts";

/** Returns what a function makes of the clock's time. The component renders again only when that changes. */
export function useClock<Value extends string | number | boolean>(clock: Clock, of: (seconds: number) => Value): Value {
  return useSyncExternalStore(clock.subscribe, () => of(clock.now()));
}
