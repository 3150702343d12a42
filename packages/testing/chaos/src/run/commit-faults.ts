import { setTimeout as sleep } from "node:timers/promises";
import { type CommittedFault, commitFault } from "../faults/commit-fault.ts";
import { planFaults } from "../faults/plan-faults.ts";
import type { Load } from "../load/load.ts";
import type { World } from "./open-world.ts";
import type { ChaosOptions } from "./run-chaos.ts";
import { stopLimitsMs } from "./settings.ts";

/** Injects faults for the time of a run, and adds each to `faults` when it is over. */
export async function commitFaults(
  { seed, seconds, kinds, signal, onStatus }: ChaosOptions,
  { stack, parts }: World,
  load: Load,
  faults: CommittedFault[],
): Promise<void> {
  const until = Date.now() + seconds * 1000;
  const { onStopping, onRestarted } = parts;
  const place = { stack, stopLimitsMs, onStopping, onRestarted, signal };
  const show = (what: string) => {
    const left = Math.max(0, Math.round((until - Date.now()) / 1000));
    onStatus(`${left} s left, ${load.calls.length} calls, ${faults.length} faults; ${what}`);
  };
  for (const planned of planFaults(seed, kinds)) {
    show("under load");
    await sleep(Math.min(planned.pauseMs, Math.max(0, until - Date.now())), undefined, { signal });
    if (Date.now() >= until) return;
    show(planned.kind);
    faults.push(await commitFault(place, planned));
  }
}
