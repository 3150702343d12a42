import type { Fault, FaultPlace, HitPart } from "./fault.ts";
import type { PlannedFault } from "./plan-faults.ts";

/** A fault that was injected. Times are milliseconds since 1970. */
export type CommittedFault = Pick<Fault, "kind" | "hits" | "measure" | "goalMs" | "lingersMs"> & {
  /** When the fault began. */
  at: number;
  /** The end of the fault, when everything runs again. */
  overAt: number;
  /** The processes that it hit, with times. Empty if it hit a server and so all processes. */
  parts: readonly HitPart[];
};

/** Injects a fault and waits until it is over and everything runs again. Throws when the run is aborted. */
export async function commitFault(place: FaultPlace, { fault, ...choice }: PlannedFault): Promise<CommittedFault> {
  const { commit: _commit, lastsMs: _lastsMs, needs: _needs, isFrequent: _isFrequent, ...own } = fault;
  const at = Date.now();
  const parts = await fault.commit(place, choice);
  return { ...own, at, overAt: Date.now(), parts };
}
