import type { JobRecord } from "../audit/read-records.ts";
import type { CommittedFault } from "../faults/commit-fault.ts";
import type { FaultKind } from "../faults/fault-kinds.ts";
import type { Claim } from "./read-claims.ts";
import type { Probe } from "./start-probing.ts";

/** How long the service took to get over a fault, in milliseconds, as the worst of what suffered from it. */
export type Recovery = { kind: FaultKind; at: number; ms: number };

type Seen = {
  faults: readonly CommittedFault[];
  /** Every claim of every worker. */
  claims: readonly Claim[];
  jobs: readonly Pick<JobRecord, "id" | "createdAt" | "finishedAt">[];
  /** Whether each API answered, again and again. */
  probes: readonly Probe[];
};

const forQueue: readonly FaultKind[] = ["Redis restarted", "Redis killed", "Redis emptied"];
const forWorkers: readonly FaultKind[] = ["worker killed", "worker frozen", "workers rolled"];
const forReaders: readonly FaultKind[] = ["API killed", "APIs rolled", "Postgres restarted"];

/**
 * How long each fault was felt, from its beginning: until a worker began anew the last job that had lost its worker,
 * until the last waiting job was begun that the queue may have forgotten, until every API that should answer did. Of
 * several faults that a job may have suffered from, the latest is held to account; where the queue was struck, the first.
 */
export function recoveries(seen: Seen): Recovery[] {
  const felt = [...feltByJobs(seen), ...seen.faults.flatMap((fault) => feltByReaders(fault, seen))];
  return seen.faults.map((fault) => {
    const all = felt.filter((each) => each.fault === fault).map(({ ms }) => ms);
    return { kind: fault.kind, at: fault.at, ms: Math.max(0, ...all) };
  });
}

type Felt = { fault: CommittedFault; ms: number };

function feltByJobs({ faults, claims, jobs }: Seen): Felt[] {
  const claimsOf = Map.groupBy(claims, ({ jobId }) => jobId);
  return jobs.flatMap((job) => {
    const own = (claimsOf.get(job.id) ?? []).toSorted((a, b) => a.at - b.at);
    const [first] = own;
    return [...waitForFirst(faults, job.createdAt, first), ...own.slice(1).flatMap((claim, i) => waitForNext(faults, own[i], claim))];
  });
}

function waitForFirst(faults: readonly CommittedFault[], createdAt: number, first: Claim | undefined): Felt[] {
  if (!first) return [];
  const fault = faults.find(({ kind, at }) => forQueue.includes(kind) && at >= createdAt && at <= first.at);
  return fault ? [{ fault, ms: first.at - fault.at }] : [];
}

function waitForNext(faults: readonly CommittedFault[], before: Claim | undefined, claim: Claim): Felt[] {
  if (!before) return [];
  const fault = faults.findLast(({ kind, at, overAt, parts }) => {
    if (at > claim.at || overAt < before.at) return false;
    return forWorkers.includes(kind) ? parts.includes(before.part) : [...forQueue, "Postgres restarted"].includes(kind);
  });
  return fault ? [{ fault, ms: claim.at - Math.max(fault.at, before.at) }] : [];
}

function feltByReaders(fault: CommittedFault, { probes }: Seen): Felt[] {
  if (!forReaders.includes(fault.kind)) return [];
  const after = probes.filter(({ at }) => at >= fault.at);
  const ofDatabase = fault.kind === "Postgres restarted";
  const apis = new Set(after.map(({ api }) => api));
  // While one API is gone, the other must answer; when the database is gone, both must come back.
  const times = [...apis].map((api) => {
    const ok = after.find((probe) => probe.api === api && probe.ok && (!ofDatabase || probe.at >= fault.overAt));
    return (ok?.at ?? Number.POSITIVE_INFINITY) - fault.at;
  });
  if (times.length === 0) return [];
  return [{ fault, ms: ofDatabase ? Math.max(...times) : Math.min(...times) }];
}
