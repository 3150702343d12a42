import { expect, test } from "vitest";
import { type FaultKind, faultKinds } from "./fault-kinds.ts";
import { planFaults } from "./plan-faults.ts";

function first(count: number, seed: number, kinds?: readonly FaultKind[]) {
  return [...planFaults(seed, kinds).take(count)];
}

test("the same seed gives the same faults, another gives others", () => {
  expect(first(40, 7)).toEqual(first(40, 7));
  expect(first(40, 7)).not.toEqual(first(40, 8));
});

test("every round has every kind, and two killed workers and APIs", () => {
  const round = [...faultKinds, "worker killed", "API killed"].sort();
  const kinds = first(2 * round.length, 3).map(({ kind }) => kind);
  expect(kinds.slice(0, round.length).sort()).toEqual(round);
  expect(kinds.slice(round.length).sort()).toEqual(round);
  expect(first(3, 1, ["Redis emptied"]).map(({ kind }) => kind)).toEqual(Array(3).fill("Redis emptied"));
});

test("a worker is frozen for longer than its lock lasts", () => {
  const frozen = first(200, 5).filter(({ kind }) => kind === "worker frozen");
  expect(frozen.length).toBeGreaterThan(10);
  for (const { lastsMs } of frozen) expect(lastsMs).toBeGreaterThan(8000);
});
