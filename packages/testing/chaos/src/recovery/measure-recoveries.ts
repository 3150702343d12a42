import type { JobRecord } from "../audit/records/read-jobs.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import { feltByJobs, feltByWork } from "./felt-by-jobs.ts";
import { feltByQueue } from "./felt-by-queue.ts";
import { feltByReaders } from "./felt-by-readers.ts";
import type { Claim } from "./read-claims.ts";
import type { Probe } from "./start-probes.ts";
import type { QueueLook } from "./watch-queue.ts";

/** The cost of a fault: the worst of all jobs, requests and APIs that it hit, in milliseconds. */
export type Recovery = Pick<CommittedFault, "kind" | "goalMs"> & {
  at: number;
  /** The time until the service had recovered. */
  ms: number;
  /** The additional wait of a caller whose job started again: the lost work plus `ms`. 0 if no job did. */
  extraWaitMs: number;
};

/** The observations of a run. */
export type Seen = {
  faults: readonly CommittedFault[];
  /** All claims of all workers. */
  claims: readonly Claim[];
  jobs: readonly (Pick<JobRecord, "id" | "status" | "finishedAt"> & Partial<Pick<JobRecord, "deadlineAt">>)[];
  /** The probes of each API. */
  probes: readonly Probe[];
  /** The comparisons of the queue with the open jobs. */
  looks: readonly QueueLook[];
};

/** The effect of a fault on a job, the queue or an API, in milliseconds. */
export type Felt = { fault: CommittedFault; ms: number; extraWaitMs?: number };

/**
 * Returns the recovery of each fault, according to its measure (faults/fault.ts), without the time of other outages. A
 * job counts for the latest fault that hit it.
 */
export function recoveries(seen: Seen): Recovery[] {
  const felt = [
    ...feltByJobs(seen),
    ...seen.faults.flatMap((fault) => [
      ...feltByReaders(fault, seen),
      ...feltByQueue(fault, seen),
      ...feltByWork(fault, seen),
    ]),
  ];
  return seen.faults.map((fault) => {
    const own = felt.filter((each) => each.fault === fault);
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
