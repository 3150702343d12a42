import { randomFrom } from "../random.ts";
import { type FaultKind, faultKinds } from "./fault-kinds.ts";

/** A fault to inject: the pause after the fault before it, the index of the process that it hits, and its duration. */
export type PlannedFault = { pauseMs: number; kind: FaultKind; target: number; lastsMs: number; seed: number };

// A process that dies at any moment is the most important fault.
const often: readonly FaultKind[] = ["worker killed", "API killed"];

/**
 * Generates endless faults from a seed, in rounds with one fault of each kind and two of the kinds that kill a process.
 * The same seed gives the same faults.
 */
export function* planFaults(seed: number, kinds: readonly FaultKind[] = faultKinds): Generator<PlannedFault, never> {
  const random = randomFrom(seed);
  const round = [...kinds, ...kinds.filter((kind) => often.includes(kind))];
  for (;;) {
    for (const kind of random.shuffled(round)) {
      yield {
        pauseMs: random.between(2000, 5000),
        kind,
        target: random.between(0, 1000),
        lastsMs: kind.endsWith("frozen") ? random.between(9000, 13_000) : random.between(0, 4000),
        seed: random.between(1, 1_000_000),
      };
    }
  }
}
