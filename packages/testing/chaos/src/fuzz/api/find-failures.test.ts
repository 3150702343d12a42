import { expect, test } from "vitest";
import { findFailures } from "./find-failures.ts";

const held = {
  ...{ seed: 1, requests: 1, seconds: 1, kinds: {}, answers: { "503 provider_unavailable": 1 } },
  violations: [],
  ended: [],
  probes: { idleP99: 10, loadedP99: 29.9, failed: 0 },
  memory: { before: 100, after: 120 },
  descriptors: { before: 40, after: 52 },
};

test("a report that keeps every promise has no failures", () => {
  expect(findFailures(held)).toEqual([]);
});

test.each([
  ["an answer that breaks one", { violations: ["forms, number 1: 500: x"] }, /^forms, number 1: 500/],
  ["a process that ended", { ended: ["api-1: SIGKILL"] }, /^a process ended: api-1: SIGKILL$/],
  ["a probe request that failed", { probes: { ...held.probes, failed: 2 } }, /^2 probe requests failed$/],
  [
    "probe requests that take three times as long",
    { probes: { ...held.probes, loadedP99: 30 } },
    /^probe requests took/,
  ],
  [
    "probe requests of which none succeeded",
    { probes: { ...held.probes, loadedP99: Number.NaN } },
    /^probe requests took/,
  ],
  ["memory that is not given back", { memory: { before: 100, after: 121 } }, /^memory stayed more than 20 % above/],
  ["memory of a process that is gone", { memory: { before: 100, after: Number.NaN } }, /^memory stayed/],
  [
    "descriptors that stay open",
    { descriptors: { before: 40, after: 53 } },
    /^53 descriptors stayed open, 40 at the start/,
  ],
  ["descriptors of a process that is gone", { descriptors: { before: 40, after: Number.NaN } }, /^NaN descriptors/],
])("%s is a failure", (_what, change, fault) => {
  expect(findFailures({ ...held, ...change })).toEqual([expect.stringMatching(fault)]);
});
