import type { Moment } from "./moment.ts";

/** How many seconds a moment without an end stays highlighted, unless the next one of its lane begins earlier. */
const pointSeconds = 4;

/**
 * Returns the moments at `time` (seconds): spans from their start to their end, points for a few seconds or until the
 * next moment of their lane.
 */
export function activeMoments(moments: readonly Moment[], time: number): Moment[] {
  return moments.filter((moment) => {
    if (time < moment.from) return false;
    // A span that starts and ends in the same second lasts that second.
    if (moment.kind === "span") return time < Math.max(moment.to, moment.from + 1);
    return time < Math.min(moment.from + pointSeconds, nextPoint(moments, moment));
  });
}

function nextPoint(moments: readonly Moment[], { lane, from }: Moment): number {
  const later = moments.filter((other) => other.kind === "point" && other.lane === lane && other.from > from);
  return Math.min(...later.map((other) => other.from));
}

/** Returns the pointers that some moments light up: their fields and the objects that they describe. */
export function litPointers(active: readonly Moment[]): Set<string> {
  return new Set(active.flatMap(({ fields, container }) => [...fields, ...(container === "" ? [] : [container])]));
}

/**
 * Returns the moment that a field seeks to: the moment whose time it holds, else that of the closest object around it.
 * A time of the answer's outermost object does not count.
 */
export function momentOfField(moments: readonly Moment[], pointer: string): Moment | undefined {
  const own = moments.find(({ fields }) => fields.includes(pointer));
  if (own) return own;
  return moments
    .filter(({ container }) => container !== "" && (pointer === container || pointer.startsWith(`${container}/`)))
    .reduce<Moment | undefined>(
      (closest, moment) => (closest && closest.container.length >= moment.container.length ? closest : moment),
      undefined,
    );
}
