import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Observations, RecoveryTime } from "./observations.ts";
import { withoutOutages } from "./without-outages.ts";

// Workers compare the queue with the database every five seconds. After a longer time without a missing ticket, the
// next missing one has another cause.
const wholeMs = 6000;

/** Measures until the queue misses no job for a while, before the next fault of the queue. */
export function queueRecoveries(fault: CommittedFault, { faults, looks }: Observations): RecoveryTime[] {
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
