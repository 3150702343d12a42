import { expect, test } from "vitest";
import { silences } from "./silences.ts";

test("an API is silent from the probe before one that failed to the one that failed", () => {
  const probes = [
    { api: "a", at: 1000, ok: true },
    { api: "b", at: 1100, ok: true },
    { api: "a", at: 6200, ok: false },
    { api: "b", at: 1300, ok: true },
    { api: "a", at: 7000, ok: true },
  ];
  expect(silences(probes)).toEqual([{ at: 1000, overAt: 6200 }]);
  expect(silences(probes.slice(0, 2))).toEqual([]);
});
