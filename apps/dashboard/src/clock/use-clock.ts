import { useSyncExternalStore } from "react";
import type { Clock } from "./clock.ts";

/** Returns the result of a function of the clock's time. The component renders again only when the result changes. */
export function useClock<Value extends string | number | boolean>(clock: Clock, of: (seconds: number) => Value): Value {
  return useSyncExternalStore(clock.subscribe, () => of(clock.now()));
}
