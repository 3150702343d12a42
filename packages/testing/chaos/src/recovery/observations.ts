import type { JobRecord } from "../audit/records/read-jobs.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Claim } from "./read-claims.ts";
import type { Probe } from "./start-probes.ts";
import type { QueueLook } from "./watch-queue.ts";

/** The observations of a run. */
export type Observations = {
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
export type RecoveryTime = { fault: CommittedFault; ms: number; extraWaitMs?: number };
