import { chanceOf } from "../chance.ts";
import { type FaultKind, faultKinds } from "./fault-kinds.ts";

/** A fault to commit: so long after the one before it is over, at which of the processes of its kind, for how long. */
export type PlannedFault = { pauseMs: number; kind: FaultKind; target: number; lastsMs: number; seed: number };

/** The faults of a seed, without end: every kind once before any comes again. The same seed gives the same faults. */
export function* planFaults(seed: number, kinds: readonly FaultKind[] = faultKinds): Generator<PlannedFault, never> {
  const chance = chanceOf(seed);
  for (;;) {
    for (const kind of chance.shuffled(kinds)) {
      yield {
        pauseMs: chance.between(3000, 7000),
        kind,
        target: chance.between(0, 1000),
        lastsMs: kind === "worker frozen" ? chance.between(9000, 13_000) : chance.between(0, 4000),
        seed: chance.between(1, 1_000_000),
      };
    }
  }
}
