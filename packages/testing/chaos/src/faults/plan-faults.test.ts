import { expect, test } from "vitest";
import { allFaults } from "./all-faults.ts";
import type { Fault } from "./fault.ts";
import { planFaults } from "./plan-faults.ts";

function groups(count: number, seed: number, faults: readonly Fault[] = allFaults) {
  return [...planFaults(seed, faults).take(count)];
}

function kindsOf(planned: ReturnType<typeof groups>) {
  return planned.flatMap(({ faults }) => faults.map(({ fault }) => fault.kind));
}

test("the same seed gives the same faults, another gives others", () => {
  expect(groups(40, 7)).toEqual(groups(40, 7));
  expect(groups(40, 7)).not.toEqual(groups(40, 8));
});

test("every round has every kind, and two killed workers and APIs", () => {
  const round = [...allFaults.map(({ kind }) => kind), "worker killed", "API killed"].sort();
  const kinds = kindsOf(groups(4 * round.length, 3));
  expect(kinds.slice(0, round.length).sort()).toEqual(round);
  expect(kinds.slice(round.length, 2 * round.length).sort()).toEqual(round);
  const emptied = allFaults.filter(({ kind }) => kind === "Redis emptied");
  expect(kindsOf(groups(3, 1, emptied))).toEqual(Array(3).fill("Redis emptied"));
});

test("one, two or three faults come at once, and they hit different things", () => {
  const planned = groups(200, 5);
  expect(new Set(planned.map(({ faults }) => faults.length))).toEqual(new Set([1, 2, 3]));
  for (const { faults } of planned) expect(new Set(faults.map(({ fault }) => fault.hits)).size).toBe(faults.length);
});

test("a fault lasts as long as its kind says: a worker is frozen for longer than its lock lasts", () => {
  const planned = groups(400, 5).flatMap(({ faults }) => faults);
  for (const { fault, lastsMs } of planned) {
    expect(lastsMs).toBeGreaterThanOrEqual(fault.lastsMs[0]);
    expect(lastsMs).toBeLessThanOrEqual(fault.lastsMs[1]);
  }
  const frozen = planned.filter(({ fault }) => fault.kind === "worker frozen");
  expect(frozen.length).toBeGreaterThan(5);
  for (const { lastsMs } of frozen) expect(lastsMs).toBeGreaterThan(8000);
});
