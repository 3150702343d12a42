import { expect, test } from "vitest";
import { createFaultPlan, readFaults } from "./faults.ts";

function planOf(...faults: object[]) {
  const plan = createFaultPlan();
  plan.replace(readFaults({ faults }));
  return plan;
}

test("a fault is injected `times` times, after `after` requests, into its own operation only", () => {
  const plan = planOf({ on: "get", kind: "drop", after: 1, times: 2 }, { on: "list", kind: "drop", times: -1 });
  const kinds = ["get", "delete", "get", "get", "get"].map((on) => plan.take(on as "get").fault?.kind);
  expect(kinds).toEqual([undefined, undefined, "drop", "drop", undefined]);
  for (let index = 0; index < 5; index++) expect(plan.take("list").fault?.kind).toBe("drop");
  expect(plan.left()).toBe(1);
});

test("a request gets one fault, and latency in addition", () => {
  const kinds = [{ kind: "status" }, { kind: "drop" }, { kind: "latency", ms: 5 }];
  const plan = planOf(...kinds.map((kind) => ({ on: "get", ...kind })));
  expect(plan.take("get")).toMatchObject({ fault: { kind: "status" }, latencyMs: 5 });
  expect(plan.take("get")).toMatchObject({ fault: { kind: "drop" }, latencyMs: 0 });
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
  [{ on: "nothing" }, "faults[0].on"],
  [{ times: "twice" }, "faults[0].times"],
  [{ retryDelay: "2 seconds" }, "faults[0].retryDelay"],
  [{ colour: 1 }, "faults[0].colour"],
])("%j is refused by name", (fault, named) => {
  expect(() => readFaults([{ on: "get", kind: "drop", ...fault }])).toThrow(named);
});
