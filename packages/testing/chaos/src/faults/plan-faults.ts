import { type Random, randomFrom } from "../random.ts";
import type { Choice, Fault } from "./fault.ts";

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
    const rest = random.shuffled([...faults, ...faults.filter(({ isFrequent }) => isFrequent)]);
    while (rest.length > 0) {
      const size = random.next() < secondOdds ? (random.next() < thirdOdds ? 3 : 2) : 1;
      yield { pauseMs: random.between(2000, 5000), faults: takeGroup(rest, size).map((fault) => plan(random, fault)) };
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
    delayMs: random.between(0, 3000),
    target: random.between(0, 1000),
    lastsMs: random.between(...fault.lastsMs),
    seed: random.between(1, 1_000_000),
  };
}
