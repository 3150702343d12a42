import type { CommittedFault } from "../faults/commit-fault.ts";
import { jobRecoveries, workRecoveries } from "./job-recoveries.ts";
import type { Observations } from "./observations.ts";
import { queueRecoveries } from "./queue-recoveries.ts";
import { readRecoveries } from "./read-recoveries.ts";

/** The cost of a fault: the worst of all jobs, requests and APIs that it hit, in milliseconds. */
export type Recovery = Pick<CommittedFault, "kind" | "goalMs"> & {
  at: number;
  /** The time until the service had recovered. */
  ms: number;
  /** The additional wait of a caller whose job started again: the lost work plus `ms`. 0 if no job did. */
  extraWaitMs: number;
};

/**
 * Returns the recovery of each fault, according to its measure (faults/fault.ts), without the time of other outages. A
 * job counts for the latest fault that hit it.
 */
export function recoveries(observed: Observations): Recovery[] {
  const times = [
    ...jobRecoveries(observed),
    ...observed.faults.flatMap((fault) => [
      ...readRecoveries(fault, observed),
      ...queueRecoveries(fault, observed),
      ...workRecoveries(fault, observed),
    ]),
  ];
  return observed.faults.map((fault) => {
    const own = times.filter((each) => each.fault === fault);
    const worst = (waits: number[]) => Math.max(0, ...waits);
    return {
      kind: fault.kind,
      ...(fault.goalMs !== undefined && { goalMs: fault.goalMs }),
      at: fault.at,
      ms: worst(own.map(({ ms }) => ms)),
      extraWaitMs: worst(own.map(({ extraWaitMs }) => extraWaitMs ?? 0)),
    };
  });
}
