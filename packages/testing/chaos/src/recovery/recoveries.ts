import { outageMs } from "../audit/facts.ts";
import type { JobRecord } from "../audit/records.ts";
import type { CommittedFault, Hit, Measure } from "../faults/fault.ts";
import type { Claim, Probe, QueueLook } from "./watch.ts";

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
type RecoveryTime = { fault: CommittedFault; ms: number; extraWaitMs?: number };

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

// The database may execute the last statement of a dead worker this much later.
const lastMomentsMs = 2000;

/** Measures how long each interrupted job waited for its next claim. */
function jobRecoveries({ faults, claims, jobs }: Observations): RecoveryTime[] {
  const claimsOf = Map.groupBy(claims, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const own = (claimsOf.get(job.id) ?? []).toSorted((a, b) => a.at - b.at);
    return own.flatMap((claim, i) => waitForNext(faults, claim, own[i + 1]?.at, job));
  });
}

/**
 * Measures from a fault after a claim to the next claim. If the worker was killed and there was no further claim,
 * measures to the end of the job. A job that failed before its deadline in this time never recovered, unless the dead
 * worker had stored that failure.
 */
function waitForNext(
  faults: readonly CommittedFault[],
  claim: Claim,
  nextAt: number | undefined,
  { status, finishedAt, deadlineAt }: Observations["jobs"][number],
): RecoveryTime[] {
  const end = finishedAt ?? Number.POSITIVE_INFINITY;
  const until = nextAt ?? end;
  const struckAt = ({ hits, at, parts }: CommittedFault) =>
    hits === "redis" || hits === "postgres" ? at : parts.find(({ name }) => name === claim.part)?.at;
  const fault = faults.findLast((each) => {
    const at = struckAt(each);
    if (at === undefined || at > until || each.overAt < claim.at) return false;
    return nextAt !== undefined || (each.kind === "worker killed" && at >= claim.at);
  });
  if (!fault) return [];
  const from = Math.max(struckAt(fault) ?? fault.at, claim.at);
  const ms = withoutOutages(fault, faults, { from, until, measure: "claims" });
  const isOverdue = deadlineAt !== undefined && end >= deadlineAt;
  const givenUp = nextAt === undefined && status === "failed" && until - from > lastMomentsMs && !isOverdue;
  return [{ fault, ms: givenUp ? Number.POSITIVE_INFINITY : ms, extraWaitMs: until - claim.at }];
}

/** Measures from the end of a fault to the next success of a job. */
function workRecoveries(fault: CommittedFault, { faults, jobs }: Observations): RecoveryTime[] {
  if (fault.measure !== "work") return [];
  const ends = jobs.flatMap(({ status, finishedAt }) =>
    status === "succeeded" && finishedAt !== null && finishedAt >= fault.overAt ? [finishedAt] : [],
  );
  if (ends.length === 0) return [];
  const until = Math.min(...ends);
  return [{ fault, ms: withoutOutages(fault, faults, { from: fault.overAt, until, measure: "work" }) }];
}

// Workers compare the queue with the database every five seconds. After a longer time without a missing ticket, the
// next missing one has another cause.
const wholeMs = 6000;

/** Measures until the queue misses no job for a while, before the next fault of the queue. */
function queueRecoveries(fault: CommittedFault, { faults, looks }: Observations): RecoveryTime[] {
  if (fault.measure !== "queue") return [];
  const next = faults.find(({ measure, at }) => measure === "queue" && at > fault.at);
  const after = looks.filter(({ at }) => at >= fault.at && at < (next?.at ?? Number.POSITIVE_INFINITY));
  let missedAt: number | undefined;
  let wholeSince: number | undefined;
  for (const { at, whole } of after) {
    if (!whole) missedAt = at;
    wholeSince = whole && at >= fault.overAt ? (wholeSince ?? at) : undefined;
    if (wholeSince !== undefined && at - wholeSince > wholeMs) break;
  }
  const last = missedAt ?? fault.overAt;
  const until = missedAt === undefined ? last : (after.find(({ at }) => at > last)?.at ?? last);
  return [{ fault, ms: withoutOutages(fault, faults, { from: fault.at, until, measure: "queue" }) }];
}

/** Measures how long the APIs did not answer a request that needs the database. */
function readRecoveries(fault: CommittedFault, { faults, probes }: Observations): RecoveryTime[] {
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

// The resources that the service cannot recover without. A recovery does not count the time in which another fault
// takes one away.
const needs: Record<Measure, readonly Hit[]> = {
  claims: ["postgres", "redis", "worker", "connections"],
  queue: ["postgres", "redis", "worker", "connections"],
  "other API": ["postgres", "api", "connections"],
  "all APIs": ["postgres", "api", "connections"],
  others: ["postgres", "api", "connections"],
  work: ["postgres", "redis", "worker", "api", "provider", "storage", "scratch", "connections"],
};

/**
 * Returns the milliseconds between two moments, without those in which another fault was an outage for the measure,
 * including its silent connections.
 */
function withoutOutages(
  fault: CommittedFault,
  faults: readonly CommittedFault[],
  { from, until, measure }: { from: number; until: number; measure: Measure },
): number {
  const others = faults.filter((other) => other !== fault && needs[measure].includes(other.hits));
  const outages = others.map(({ at, overAt, lingersMs = 0 }) => ({ at, overAt: overAt + lingersMs }));
  return until - from - outageMs(outages, from, until);
}
