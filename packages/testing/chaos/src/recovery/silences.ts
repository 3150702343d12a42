import type { Probe } from "./start-probing.ts";

/** From when to when an API gave no answer to a question that asks the database; milliseconds since 1970. */
export function silences(probes: readonly Probe[]): { at: number; overAt: number }[] {
  return [...Map.groupBy(probes, ({ api }) => api).values()].flatMap((own) =>
    own.flatMap(({ at, ok }, i) => (ok ? [] : [{ at: own[i - 1]?.at ?? at, overAt: at }])),
  );
}
