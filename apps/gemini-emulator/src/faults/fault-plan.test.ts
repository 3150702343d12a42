import { expect, test } from "vitest";
import { readFaults } from "./fault.ts";
import { createFaultPlan } from "./fault-plan.ts";

function planOf(...faults: object[]) {
  const plan = createFaultPlan();
  plan.replace(readFaults({ faults }));
  return plan;
}

test("a fault strikes so often, after so many requests, and only where it is on", () => {
  const plan = planOf({ on: "get", kind: "drop", after: 1, times: 2 });
  const kinds = ["get", "list", "get", "get", "get"].map((on) => plan.take(on as "get").fault?.kind);
  expect(kinds).toEqual([undefined, undefined, "drop", "drop", undefined]);
  expect(plan.left()).toBe(0);
});

test("one fault strikes a request, latency comes on top", () => {
  const plan = planOf(
    { on: "get", kind: "status" },
    { on: "get", kind: "drop" },
    { on: "get", kind: "latency", ms: 5 },
  );
  expect(plan.take("get")).toMatchObject({ fault: { kind: "status" }, latencyMs: 5 });
  expect(plan.take("get")).toMatchObject({ fault: { kind: "drop" }, latencyMs: 0 });
});

test("a fault without end goes on and counts as one", () => {
  const plan = planOf({ on: "get", kind: "drop", times: -1 });
  for (let index = 0; index < 5; index++) expect(plan.take("get").fault?.kind).toBe("drop");
  expect(plan.left()).toBe(1);
});

test("a fault for one model spares the others, and a schema fault spares requests without a schema", () => {
  const plan = planOf({ on: "generate", kind: "empty", model: "large" }, { on: "generate", kind: "too-many-states" });
  expect(plan.take("generate", { model: "small" }).fault).toBeUndefined();
  expect(plan.take("generate", { model: "large" }).fault?.kind).toBe("empty");
  expect(plan.take("generate", { model: "small", hasSchema: true }).fault?.kind).toBe("too-many-states");
});

test("chance is the same for the same seed and about as likely as asked", () => {
  const strikes = (seed: number) => {
    const plan = planOf({ on: "get", kind: "drop", times: -1, probability: 0.3, seed });
    return Array.from({ length: 400 }, () => (plan.take("get").fault ? 1 : 0));
  };
  expect(strikes(1)).toEqual(strikes(1));
  expect(strikes(1)).not.toEqual(strikes(2));
  const share = strikes(3).reduce((sum: number, one) => sum + one, 0) / 400;
  expect(Math.abs(share - 0.3)).toBeLessThan(0.1);
});

test.each([
  [{ on: "nothing", kind: "drop" }, "faults[0].on"],
  [{ on: "get", kind: "drop", times: "twice" }, "faults[0].times"],
  [{ on: "get", kind: "drop", retryDelay: "2 seconds" }, "faults[0].retryDelay"],
  [{ on: "get", kind: "drop", colour: 1 }, "faults[0].colour"],
])("%j is refused by name", (fault, named) => {
  expect(() => readFaults([fault])).toThrow(named);
});
