import { expect, test } from "vitest";
import { readFaults } from "./fault.ts";
import { createFaultPlan } from "./fault-plan.ts";

function planOf(...faults: object[]) {
  const plan = createFaultPlan();
  plan.replace(readFaults({ faults }));
  return plan;
}

test("a fault is injected `times` times, after `after` requests, into its own operation only", () => {
  const plan = planOf({ on: "get", kind: "drop", after: 1, times: 2 });
  const kinds = ["get", "list", "get", "get", "get"].map((on) => plan.take(on as "get").fault?.kind);
  expect(kinds).toEqual([undefined, undefined, "drop", "drop", undefined]);
  expect(plan.left()).toBe(0);
});

test("a request gets one fault, and latency in addition", () => {
  const plan = planOf(
    { on: "get", kind: "status" },
    { on: "get", kind: "drop" },
    { on: "get", kind: "latency", ms: 5 },
  );
  expect(plan.take("get")).toMatchObject({ fault: { kind: "status" }, latencyMs: 5 });
  expect(plan.take("get")).toMatchObject({ fault: { kind: "drop" }, latencyMs: 0 });
});

test("a fault without end is injected every time and counts as one", () => {
  const plan = planOf({ on: "get", kind: "drop", times: -1 });
  for (let index = 0; index < 5; index++) expect(plan.take("get").fault?.kind).toBe("drop");
  expect(plan.left()).toBe(1);
});

test("a fault for one model leaves the others alone, and a schema fault leaves requests without a schema alone", () => {
  const plan = planOf({ on: "generate", kind: "empty", model: "large" }, { on: "generate", kind: "too-many-states" });
  expect(plan.take("generate", { model: "small" }).fault).toBeUndefined();
  expect(plan.take("generate", { model: "large" }).fault?.kind).toBe("empty");
  expect(plan.take("generate", { model: "small", hasSchema: true }).fault?.kind).toBe("too-many-states");
});

test("the same seed leads to the same injections, about as often as the probability says", () => {
  const injections = (seed: number) => {
    const plan = planOf({ on: "get", kind: "drop", times: -1, probability: 0.3, seed });
    return Array.from({ length: 400 }, () => (plan.take("get").fault ? 1 : 0));
  };
  expect(injections(1)).toEqual(injections(1));
  expect(injections(1)).not.toEqual(injections(2));
  const share = injections(3).reduce((sum: number, one) => sum + one, 0) / 400;
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
