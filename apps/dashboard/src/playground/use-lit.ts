import { useMemo } from "react";
import type { Clock } from "../clock/clock.ts";
import { useClock } from "../clock/use-clock.ts";
import { activeMoments, litPointers } from "../moments/active-moments.ts";
import type { Moment } from "../moments/moment.ts";

/** Returns the pointers of the answer that the video is at. The set stays the same object until one of them changes. */
export function useLit(clock: Clock, moments: readonly Moment[]): ReadonlySet<string> {
  const active = useClock(clock, (seconds) =>
    activeMoments(moments, seconds)
      .map(({ pointer }) => pointer)
      .join("\n"),
  );
  return useMemo(() => {
    const pointers = new Set(active.split("\n"));
    return active === "" ? new Set() : litPointers(moments.filter(({ pointer }) => pointers.has(pointer)));
  }, [active, moments]);
}
