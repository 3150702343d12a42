import { setTimeout as sleep } from "node:timers/promises";
import { type CommittedFault, commitFault } from "../faults/commit-fault.ts";
import type { Fault } from "../faults/fault.ts";
import { type PlannedFault, planFaults } from "../faults/plan-faults.ts";
import type { Load } from "../load/load.ts";
import type { World } from "./open-world.ts";
import type { ChaosOptions } from "./run-chaos.ts";
import { stopLimitsMs } from "./settings.ts";

/**
 * Injects faults for the duration of a run, those of a group at once, and adds each to `faults` when it is over.
 * Resolves when all are over.
 */
export async function commitFaults(
  { seed, seconds, signal, onStatus }: ChaosOptions,
  world: World,
  possible: readonly Fault[],
  { load, faults }: { load: Load; faults: CommittedFault[] },
): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const { onStopping, onRestarted } = world.parts;
  const place = { ...world, stopLimitsMs, onStopping, onRestarted, signal };
  const show = (what: string) => {
    const left = Math.max(0, Math.round((until - Date.now()) / 1000));
    onStatus(`${left} s left, ${load.calls.length} calls, ${faults.length} faults; ${what}`);
  };
  const commit = async (planned: PlannedFault, index: number) => {
    if (index > 0) await sleep(planned.delayMs, undefined, { signal });
    faults.push(await commitFault(place, planned));
  };
  for (const group of planFaults(seed, possible)) {
    show("under load");
    await sleep(Math.min(group.pauseMs, Math.max(0, until - Date.now())), undefined, { signal });
    if (Date.now() >= until) return;
    show(group.faults.map(({ fault }) => fault.kind).join(" + "));
    const committed = await Promise.allSettled(group.faults.map(commit));
    for (const each of committed) if (each.status === "rejected") throw each.reason;
  }
}
