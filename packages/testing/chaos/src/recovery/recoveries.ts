import type { JobRecord } from "../audit/read-records.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import type { FaultKind } from "../faults/fault-kinds.ts";
import type { Claim } from "./read-claims.ts";
import type { Probe } from "./start-probing.ts";
import type { QueueLook } from "./watch-queue.ts";

/** What a fault cost, as the worst of what suffered from it; in milliseconds. */
export type Recovery = {
  kind: FaultKind;
  at: number;
  /** How long the service took to get over it. */
  ms: number;
  /** What it added to a caller's wait whose job was begun anew: the work that was lost, and `ms`. 0 if none was. */
  extraWaitMs: number;
};

type Seen = {
  faults: readonly CommittedFault[];
  /** Every claim of every worker. */
  claims: readonly Claim[];
  jobs: readonly Pick<JobRecord, "id" | "status" | "finishedAt">[];
  /** Whether each API answered, again and again. */
  probes: readonly Probe[];
  /** Whether the queue knew every open job, again and again. */
  looks: readonly QueueLook[];
};

const forQueue: readonly FaultKind[] = ["Redis restarted", "Redis killed", "Redis emptied", "Redis frozen"];
// What the queue lacks so long after is not for want of this fault's recovery.
const longestFeltMs = 60_000;
// What a worker had sent to the database when it died may be done so much later.
const lastMomentsMs = 2000;
const forWorkers: readonly FaultKind[] = ["worker killed", "worker frozen", "workers rolled"];
const forDatabase: readonly FaultKind[] = ["Postgres restarted", "Postgres frozen"];
const forAll: readonly FaultKind[] = [...forQueue, ...forDatabase];
const forReaders: readonly FaultKind[] = ["API killed", "API frozen", "APIs rolled", ...forDatabase];

/**
 * How long each fault was felt, from its beginning: until another worker began anew the last job that had lost its
 * worker; until the queue knew every open job again; until the APIs that should answer did. Of several faults that a
 * job may have suffered from, the latest is held to account.
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
 * From a fault that came after a claim to the next claim; or, if its worker is gone and none came, to the job's end. A
 * job that failed so never recovered, unless that was the worker's own last word.
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
 * Until the last look, before the queue was struck again, at which it lacked a job; less the time for which the database,
 * which alone knows what the queue must hold, was away meanwhile.
 */
function feltByQueue(fault: CommittedFault, { faults, looks }: Seen): Felt[] {
  if (!forQueue.includes(fault.kind)) return [];
  const next = faults.find(({ kind, at }) => forQueue.includes(kind) && at > fault.at);
  const after = looks.filter(({ at }) => at >= fault.at && at < (next?.at ?? Number.POSITIVE_INFINITY));
  const lacking = after.findLast(({ at, whole }) => !whole && at < fault.overAt + longestFeltMs);
  const whole = lacking && (after.find(({ at }) => at > lacking.at)?.at ?? lacking.at);
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
  // While one API is gone, the other must answer; when the database is gone, both must come back.
  const times = [...apis].map((api) => {
    const answered = after.find((probe) => probe.api === api && probe.ok);
    return (answered?.at ?? Number.POSITIVE_INFINITY) - fault.at;
  });
  if (times.length === 0) return [];
  return [{ fault, ms: ofDatabase ? Math.max(...times) : Math.min(...times) }];
}
