import type { JobRecord } from "../audit/records/read-jobs.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import type { FaultKind } from "../faults/fault-kinds.ts";
import type { Claim } from "./read-claims.ts";
import type { Probe } from "./start-probes.ts";
import type { QueueLook } from "./watch-queue.ts";

/** The cost of a fault: the worst of all jobs, requests and APIs that it hit, in milliseconds. */
export type Recovery = {
  kind: FaultKind;
  at: number;
  /** The time until the service had recovered. */
  ms: number;
  /** The extra wait of a caller whose job started again: the lost work plus `ms`. 0 when no job did. */
  extraWaitMs: number;
};

type Seen = {
  faults: readonly CommittedFault[];
  /** All claims of all workers. */
  claims: readonly Claim[];
  jobs: readonly Pick<JobRecord, "id" | "status" | "finishedAt">[];
  /** The probes of each API. */
  probes: readonly Probe[];
  /** The comparisons of the queue with the open jobs. */
  looks: readonly QueueLook[];
};

const forQueue: readonly FaultKind[] = ["Redis restarted", "Redis killed", "Redis emptied", "Redis frozen"];
// A job that is missing in the queue later than this is not due to this fault.
const longestFeltMs = 60_000;
// The database may execute the last statement of a dead worker this much later.
const lastMomentsMs = 2000;
const forWorkers: readonly FaultKind[] = ["worker killed", "worker frozen", "workers rolled"];
const forDatabase: readonly FaultKind[] = ["Postgres restarted", "Postgres frozen"];
const forAll: readonly FaultKind[] = [...forQueue, ...forDatabase];
const forReaders: readonly FaultKind[] = ["API killed", "API frozen", "APIs rolled", ...forDatabase];

/**
 * Returns the recovery of each fault, measured from its start: until another worker had started the last interrupted job
 * again; until the queue contained every open job; until the APIs responded. A job counts for the latest fault that hit
 * it.
 */
export function recoveries(seen: Seen): Recovery[] {
  const felt = [
    ...feltByJobs(seen),
    ...seen.faults.flatMap((fault) => [...feltByReaders(fault, seen), ...feltByQueue(fault, seen)]),
  ];
  return seen.faults.map((fault) => {
    const own = felt.filter((each) => each.fault === fault);
    const worst = (waits: number[]) => Math.max(0, ...waits);
    return {
      kind: fault.kind,
      at: fault.at,
      ms: worst(own.map(({ ms }) => ms)),
      extraWaitMs: worst(own.map(({ extraWaitMs }) => extraWaitMs ?? 0)),
    };
  });
}

type Felt = { fault: CommittedFault; ms: number; extraWaitMs?: number };

function feltByJobs({ faults, claims, jobs }: Seen): Felt[] {
  const claimsOf = Map.groupBy(claims, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const own = (claimsOf.get(job.id) ?? []).toSorted((a, b) => a.at - b.at);
    return own.flatMap((claim, i) => waitForNext(faults, claim, own[i + 1]?.at, job));
  });
}

/**
 * Measures from a fault after a claim to the next claim or, without one after the worker was killed, to the end of the
 * job. A job that failed in this time never recovered, unless the dead worker had stored that failure.
 */
function waitForNext(
  faults: readonly CommittedFault[],
  claim: Claim,
  nextAt: number | undefined,
  { status, finishedAt }: Seen["jobs"][number],
): Felt[] {
  const end = finishedAt ?? Number.POSITIVE_INFINITY;
  const until = nextAt ?? end;
  const struckAt = ({ kind, at, parts }: CommittedFault) =>
    forWorkers.includes(kind)
      ? parts.find(({ name }) => name === claim.part)?.at
      : forAll.includes(kind)
        ? at
        : undefined;
  const fault = faults.findLast((each) => {
    const at = struckAt(each);
    if (at === undefined || at > until || each.overAt < claim.at) return false;
    return nextAt !== undefined || (each.kind === "worker killed" && at >= claim.at);
  });
  if (!fault) return [];
  const ms = until - Math.max(struckAt(fault) ?? fault.at, claim.at);
  const givenUp = nextAt === undefined && status === "failed" && ms > lastMomentsMs;
  return [{ fault, ms: givenUp ? Number.POSITIVE_INFINITY : ms, extraWaitMs: until - claim.at }];
}

/**
 * Measures until the last comparison in which the queue missed a job, before the next fault of the queue. Subtracts the
 * time in which the database was unavailable: only it knows the open jobs.
 */
function feltByQueue(fault: CommittedFault, { faults, looks }: Seen): Felt[] {
  if (!forQueue.includes(fault.kind)) return [];
  const next = faults.find(({ kind, at }) => forQueue.includes(kind) && at > fault.at);
  const after = looks.filter(({ at }) => at >= fault.at && at < (next?.at ?? Number.POSITIVE_INFINITY));
  const missing = after.findLast(({ at, whole }) => !whole && at < fault.overAt + longestFeltMs);
  const whole = missing && (after.find(({ at }) => at > missing.at)?.at ?? missing.at);
  const until = whole ?? fault.overAt;
  const away = faults
    .filter(({ kind }) => forDatabase.includes(kind))
    .map(({ at, overAt }) => Math.max(0, Math.min(overAt, until) - Math.max(at, fault.at)));
  return [{ fault, ms: until - fault.at - away.reduce((sum, ms) => sum + ms, 0) }];
}

function feltByReaders(fault: CommittedFault, { probes }: Seen): Felt[] {
  if (!forReaders.includes(fault.kind)) return [];
  const ofDatabase = forDatabase.includes(fault.kind);
  const after = probes.filter(({ at }) => at >= (ofDatabase ? fault.overAt : fault.at));
  const apis = new Set(after.map(({ api }) => api));
  // While one API is down, the other must respond. After an outage of the database both must respond.
  const times = [...apis].map((api) => {
    const answered = after.find((probe) => probe.api === api && probe.ok);
    return (answered?.at ?? Number.POSITIVE_INFINITY) - fault.at;
  });
  if (times.length === 0) return [];
  return [{ fault, ms: ofDatabase ? Math.max(...times) : Math.min(...times) }];
}
