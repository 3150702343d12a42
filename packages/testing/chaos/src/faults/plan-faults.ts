import { chanceOf } from "../chance.ts";
import { type FaultKind, faultKinds } from "./fault-kinds.ts";

/** A fault to commit: so long after the one before it is over, at which of the processes of its kind, for how long. */
export type PlannedFault = { pauseMs: number; kind: FaultKind; target: number; lastsMs: number; seed: number };

// Death in the middle of things is what everything here is built against: of these there are more.
const often: readonly FaultKind[] = ["worker killed", "API killed"];

/**
 * The faults of a seed, without end, in rounds of one of every kind, and two where a process is killed. The same seed
 * gives the same faults.
 */
export function* planFaults(seed: number, kinds: readonly FaultKind[] = faultKinds): Generator<PlannedFault, never> {
  const chance = chanceOf(seed);
  const round = [...kinds, ...kinds.filter((kind) => often.includes(kind))];
  for (;;) {
    for (const kind of chance.shuffled(round)) {
      yield {
        pauseMs: chance.between(2000, 5000),
        kind,
        target: chance.between(0, 1000),
        lastsMs: kind.endsWith("frozen") ? chance.between(9000, 13_000) : chance.between(0, 4000),
        seed: chance.between(1, 1_000_000),
      };
    }
  }
}
