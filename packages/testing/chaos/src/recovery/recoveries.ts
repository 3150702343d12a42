import { outageMs } from "../audit/facts.ts";
import type { JobRecord } from "../audit/records.ts";
import type { CommittedFault, Hit, Measure } from "../faults/fault.ts";
import type { Claim, Probe, QueueLook } from "./watch.ts";

export type Observations = {
  faults: readonly CommittedFault[];
  claims: readonly Claim[];
  jobs: readonly (Pick<JobRecord, "id" | "status" | "finishedAt"> & Partial<Pick<JobRecord, "deadlineAt">>)[];
  probes: readonly Probe[];
  looks: readonly QueueLook[];
};

/** The cost of a fault: the worst of all jobs, requests and APIs that it hit, in milliseconds. */
export type Recovery = Pick<CommittedFault, "kind" | "goalMs"> & {
  at: number;
  ms: number;
  /** The additional wait of a caller whose job started again: the lost work plus `ms`. 0 if no job did. */
  extraWaitMs: number;
};

/** Returns the recovery of each fault by its measure. A job counts for the latest fault that hit it. */
export function recoveries(observed: Observations): Recovery[] {
  const { faults } = observed;
  const waits = waitsForClaims(observed);
  return faults.map((fault) => {
    const { kind, at, goalMs, measure } = fault;
    const own = waits.filter((wait) => wait.fault === fault);
    const spans = measure === undefined ? [] : spansOf(fault, observed);
    const times = [
      ...own.map((wait) => withoutOutages(fault, faults, wait, "claims")),
      ...spans.map((span) => withoutOutages(fault, faults, span, measure ?? "claims")),
    ];
    const extraWaitMs = Math.max(0, ...own.map((wait) => wait.extraWaitMs));
    return { kind, ...(goalMs !== undefined && { goalMs }), at, ms: Math.max(0, ...times), extraWaitMs };
  });
}

/** From the start of a wait to the recovery. */
type Span = { from: number; until: number };

const never = Number.POSITIVE_INFINITY;
// The database may execute the last statement of a dead worker this much later.
const lastMomentsMs = 2000;

/**
 * Measures how long each interrupted job waited, from a fault after a claim to the next claim. If the worker was killed
 * and there was no further claim, measures to the end of the job. A job that failed before its deadline in this time
 * never recovered, unless the dead worker had stored that failure.
 */
function waitsForClaims({ faults, claims, jobs }: Observations) {
  const claimsOf = Map.groupBy(claims, ({ jobId }) => jobId);
  return jobs.flatMap(({ id, status, finishedAt, deadlineAt = never }) => {
    const end = finishedAt ?? never;
    const own = (claimsOf.get(id) ?? []).toSorted((a, b) => a.at - b.at);
    return own.flatMap((claim, index) => {
      const nextAt = own[index + 1]?.at;
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
      const isGivenUp = nextAt === undefined && status === "failed" && until - from > lastMomentsMs && end < deadlineAt;
      return [{ fault, from, until: isGivenUp ? never : until, extraWaitMs: until - claim.at }];
    });
  });
}

/** Returns the times without what the measure of a fault asks for: their end is the recovery. */
function spansOf(fault: CommittedFault, { faults, jobs, looks, probes }: Observations): Span[] {
  const { measure, at: from, overAt } = fault;
  const ofEach = [...Map.groupBy(probes, ({ api }) => api).values()];
  switch (measure) {
    case "work": {
      const isSuccess = ({ status, finishedAt }: Observations["jobs"][number]) =>
        status === "succeeded" && (finishedAt ?? 0) >= overAt;
      const ends = jobs.filter(isSuccess).map(({ finishedAt }) => finishedAt ?? never);
      return ends.length === 0 ? [] : [{ from: overAt, until: Math.min(...ends) }];
    }
    case "queue":
      return [{ from, until: wholeAt(fault, faults, looks) }];
    case "other API":
    case "all APIs": {
      const since = measure === "all APIs" ? overAt : from;
      const asked = ofEach.filter((own) => own.some(({ at }) => at >= since));
      const untils = asked.map((own) => own.find(({ at, ok }) => ok && at >= since)?.at ?? never);
      if (untils.length === 0) return [];
      // While one API is down, the other must respond. After an outage of the database, each must.
      return [{ from, until: measure === "all APIs" ? Math.max(...untils) : Math.min(...untils) }];
    }
    case "others":
      // Each silence of each API that overlaps the fault.
      return ofEach.flatMap((own) => {
        const answered = own.filter(({ ok }) => ok).map(({ at }) => at);
        const starts = [from, ...answered.filter((at) => at > from && at < overAt)];
        const last = Math.max(overAt, own.at(-1)?.at ?? 0);
        return starts.map((start) => ({ from: start, until: answered.find((at) => at > start) ?? last }));
      });
    default:
      return [];
  }
}

// Workers compare the queue with the database every five seconds. After a longer time without a missing ticket, the
// next missing one has another cause.
const wholeMs = 6000;

/** Returns when the queue misses no job for a while, before the next fault of the queue. */
function wholeAt(fault: CommittedFault, faults: readonly CommittedFault[], looks: readonly QueueLook[]): number {
  const next = faults.find(({ measure, at }) => measure === "queue" && at > fault.at)?.at ?? never;
  const after = looks.filter(({ at }) => at >= fault.at && at < next);
  let missedAt: number | undefined;
  let wholeSince: number | undefined;
  for (const { at, whole } of after) {
    if (!whole) missedAt = at;
    wholeSince = whole && at >= fault.overAt ? (wholeSince ?? at) : undefined;
    if (wholeSince !== undefined && at - wholeSince > wholeMs) break;
  }
  const last = missedAt;
  return last === undefined ? fault.overAt : (after.find(({ at }) => at > last)?.at ?? last);
}

// The resources that the service cannot recover without. A recovery does not count the time in which another fault
// takes one away.
const needs: Record<Measure, readonly Hit[]> = {
  // A worker that cannot work takes no jobs.
  claims: ["postgres", "redis", "worker", "provider", "storage", "scratch", "connections"],
  queue: ["postgres", "redis", "worker", "connections"],
  "other API": ["postgres", "api", "connections"],
  "all APIs": ["postgres", "api", "connections"],
  others: ["postgres", "api", "connections"],
  work: ["postgres", "redis", "worker", "api", "provider", "storage", "scratch", "connections"],
};

/** Returns the milliseconds of a span, without other faults that were outages for the measure and their silences. */
function withoutOutages(
  fault: CommittedFault,
  faults: readonly CommittedFault[],
  { from, until }: Span,
  measure: Measure,
): number {
  const others = faults.filter((other) => other !== fault && needs[measure].includes(other.hits));
  const outages = others.map(({ at, overAt, lingersMs = 0 }) => ({ at, overAt: overAt + lingersMs }));
  return until - from - outageMs(outages, from, until);
}
