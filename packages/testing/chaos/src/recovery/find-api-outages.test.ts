import { expect, test } from "vitest";
import { findApiOutages } from "./find-api-outages.ts";

test("an outage lasts from the probe before a failed one to the failed one", () => {
  const probes = [
    { api: "a", at: 1000, ok: true },
    { api: "b", at: 1100, ok: true },
    { api: "a", at: 6200, ok: false },
    { api: "b", at: 1300, ok: true },
    { api: "a", at: 7000, ok: true },
  ];
  expect(findApiOutages(probes)).toEqual([{ at: 1000, overAt: 6200 }]);
  expect(findApiOutages(probes.slice(0, 2))).toEqual([]);
});
