import type { CommittedFault } from "../faults/commit-fault.ts";
import type { Felt, Seen } from "./measure-recoveries.ts";
import { withoutOutages } from "./without-outages.ts";

// A job that is missing in the queue later than this is not due to this fault.
const longestFeltMs = 60_000;

/** Measures until the last comparison in which the queue missed a job, before the next fault of the queue. */
export function feltByQueue(fault: CommittedFault, { faults, looks }: Seen): Felt[] {
  if (fault.measure !== "queue") return [];
  const next = faults.find(({ measure, at }) => measure === "queue" && at > fault.at);
  const after = looks.filter(({ at }) => at >= fault.at && at < (next?.at ?? Number.POSITIVE_INFINITY));
  const missing = after.findLast(({ at, whole }) => !whole && at < fault.overAt + longestFeltMs);
  const whole = missing && (after.find(({ at }) => at > missing.at)?.at ?? missing.at);
  const until = whole ?? fault.overAt;
  return [{ fault, ms: withoutOutages(fault, faults, { from: fault.at, until, measure: "queue" }) }];
}
