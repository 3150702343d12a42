import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Observations, RecoveryTime } from "./observations.ts";
import type { Probe } from "./start-probes.ts";
import { withoutOutages } from "./without-outages.ts";

/** Measures how long the APIs did not answer a request that needs the database. */
export function readRecoveries(fault: CommittedFault, { faults, probes }: Observations): RecoveryTime[] {
  const { measure } = fault;
  const ofEach = [...Map.groupBy(probes, ({ api }) => api).values()];
  switch (measure) {
    case "other API":
    case "all APIs": {
      const since = measure === "all APIs" ? fault.overAt : fault.at;
      const times = ofEach.flatMap((own) => {
        if (!own.some(({ at }) => at >= since)) return [];
        const until = own.find(({ at, ok }) => ok && at >= since)?.at ?? Number.POSITIVE_INFINITY;
        return [withoutOutages(fault, faults, { from: fault.at, until, measure })];
      });
      if (times.length === 0) return [];
      // While one API is down, the other must respond. After an outage of the database, each must.
      return [{ fault, ms: measure === "all APIs" ? Math.max(...times) : Math.min(...times) }];
    }
    case "others":
      return ofEach.map((own) => ({ fault, ms: longestSilence(fault, faults, own) }));
    default:
      return [];
  }
}

/** Returns the longest time without an answer of an API that overlaps the fault. */
function longestSilence(fault: CommittedFault, faults: readonly CommittedFault[], own: readonly Probe[]): number {
  const answered = own.filter(({ ok }) => ok).map(({ at }) => at);
  const moments = [fault.at, ...answered.filter((at) => at > fault.at && at < fault.overAt)];
  return Math.max(
    ...moments.map((from) => {
      const until = answered.find((at) => at > from) ?? Math.max(fault.overAt, own.at(-1)?.at ?? 0);
      return withoutOutages(fault, faults, { from, until, measure: "others" });
    }),
  );
}
