import { expect, test } from "vitest";
import { faultsOf } from "./faults-of.ts";

const held = {
  ...{ seed: 1, requests: 1, seconds: 1, kinds: {}, answers: { "503 provider_unavailable": 1 } },
  violations: [],
  ended: [],
  honest: { idleP99: 10, besideP99: 29.9, failed: 0 },
  memory: { before: 100, after: 120 },
  descriptors: { before: 40, after: 52 },
};

test("a report of promises that were held has no faults", () => {
  expect(faultsOf(held)).toEqual([]);
});

test.each([
  ["an answer that breaks one", { violations: ["forms, number 1: 500: x"] }, /^forms, number 1: 500/],
  ["a process that ended", { ended: ["api-1: SIGKILL"] }, /^a process ended: api-1: SIGKILL$/],
  ["an honest request that failed", { honest: { ...held.honest, failed: 2 } }, /^2 honest requests failed$/],
  [
    "honest requests that take three times as long",
    { honest: { ...held.honest, besideP99: 30 } },
    /^honest requests took/,
  ],
  [
    "honest requests of which none came through",
    { honest: { ...held.honest, besideP99: Number.NaN } },
    /^honest requests took/,
  ],
  ["memory that is not given back", { memory: { before: 100, after: 121 } }, /^memory stayed more than 20 % above/],
  ["memory of a process that is gone", { memory: { before: 100, after: Number.NaN } }, /^memory stayed/],
  ["descriptors that stay open", { descriptors: { before: 40, after: 53 } }, /^53 descriptors stayed open, 40 were/],
  ["descriptors of a process that is gone", { descriptors: { before: 40, after: Number.NaN } }, /^NaN descriptors/],
])("%s is a fault", (_what, change, fault) => {
  expect(faultsOf({ ...held, ...change })).toEqual([expect.stringMatching(fault)]);
});
