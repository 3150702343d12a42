import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Observations, RecoveryTime } from "./observations.ts";
import type { Claim } from "./read-claims.ts";
import { withoutOutages } from "./without-outages.ts";

// The database may execute the last statement of a dead worker this much later.
const lastMomentsMs = 2000;

/** Measures how long each interrupted job waited for its next claim. */
export function jobRecoveries({ faults, claims, jobs }: Observations): RecoveryTime[] {
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
export function workRecoveries(fault: CommittedFault, { faults, jobs }: Observations): RecoveryTime[] {
  if (fault.measure !== "work") return [];
  const ends = jobs.flatMap(({ status, finishedAt }) =>
    status === "succeeded" && finishedAt !== null && finishedAt >= fault.overAt ? [finishedAt] : [],
  );
  if (ends.length === 0) return [];
  const until = Math.min(...ends);
  return [{ fault, ms: withoutOutages(fault, faults, { from: fault.overAt, until, measure: "work" }) }];
}
