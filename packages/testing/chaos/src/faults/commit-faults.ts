import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "@video-to-json/testing/running";
import type { Load } from "../load/load.ts";
import type { World } from "../run/open-world.ts";
import type { ChaosOptions } from "../run/run-chaos.ts";
import { stopLimitsMs } from "../run/settings.ts";
import type { Choice, Fault, FaultPlace, HitPart } from "./fault.ts";

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

/** A fault to inject, with the choices of the seed, and its delay within its group. */
export type PlannedFault = Choice & { fault: Fault; delayMs: number };

/** Faults to inject at once, after a pause. They hit different things. */
export type PlannedGroup = { pauseMs: number; faults: readonly PlannedFault[] };

const secondOdds = 0.4;
const thirdOdds = 0.4;

/**
 * Generates endless faults from a seed, in rounds with one fault of each kind and two of the frequent kinds. Some occur
 * alone, some two or three at once. The same seed gives the same faults.
 */
export function* planFaults(seed: number, faults: readonly Fault[]): Generator<PlannedGroup, never> {
  const random = randomFrom(seed);
  for (;;) {
    const rest = random.some([...faults, ...faults.filter(({ isFrequent }) => isFrequent)]);
    while (rest.length > 0) {
      const size = random.chance(secondOdds) ? (random.chance(thirdOdds) ? 3 : 2) : 1;
      yield { pauseMs: random.whole(2000, 5000), faults: takeGroup(rest, size).map((fault) => plan(random, fault)) };
    }
  }
}

/** Removes the next faults that hit different things, at most `size`. */
function takeGroup(rest: Fault[], size: number): Fault[] {
  const group: Fault[] = [];
  while (group.length < size) {
    const index = rest.findIndex(({ hits }) => group.every((each) => each.hits !== hits));
    if (index < 0) break;
    group.push(...rest.splice(index, 1));
  }
  return group;
}

function plan(random: Random, fault: Fault): PlannedFault {
  return {
    fault,
    delayMs: random.whole(0, 3000),
    target: random.whole(0, 1000),
    lastsMs: random.whole(...fault.lastsMs),
    seed: random.whole(1, 1_000_000),
  };
}

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
