import type { Probe } from "./start-probes.ts";

/** Returns the times in which an API did not respond to a request that needs the database, in milliseconds since 1970. */
export function findApiOutages(probes: readonly Probe[]): { at: number; overAt: number }[] {
  return [...Map.groupBy(probes, ({ api }) => api).values()].flatMap((own) =>
    own.flatMap(({ at, ok }, i) => (ok ? [] : [{ at: own[i - 1]?.at ?? at, overAt: at }])),
  );
}
