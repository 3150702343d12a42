import type { Usage } from "@video-to-json/contract/dashboard/account";
import { expect, test } from "vitest";
import { daysOfRange, readRange } from "./read-range.ts";
import { axisEnd, seriesOf } from "./series.ts";

const server = "9c1d0000-0000-4000-8000-000000000000";
const usage: Usage = {
  from: "2026-11-21",
  to: "2026-11-22",
  days: [
    { day: "2026-11-21", succeeded: 0, failed: 0, succeeded_seconds: 0, failed_seconds: 0, keys: [] },
    {
      day: "2026-11-22",
      succeeded: 2,
      failed: 1,
      succeeded_seconds: 120,
      failed_seconds: 12,
      keys: [
        { key_id: server, succeeded: 1, failed: 0, succeeded_seconds: 60, failed_seconds: 0 },
        { key_id: null, succeeded: 1, failed: 1, succeeded_seconds: 60, failed_seconds: 12 },
      ],
    },
  ],
  keys: [{ id: server, name: "server", display: "v2j_live_4fQx2a" }],
};

test("days are split by outcome", () => {
  expect(seriesOf(usage, "outcome").parts.map(({ name, seconds }) => [name, seconds])).toEqual([
    ["Succeeded, billed", [0, 120]],
    ["Failed, free", [0, 12]],
  ]);
});

test("days are split by key, and the playground is one of them", () => {
  expect(seriesOf(usage, "key").parts.map(({ name, seconds }) => [name, seconds])).toEqual([
    ["server", [0, 60]],
    ["Playground", [0, 60]],
  ]);
});

test("the keys that spent most have a colour of their own, and the others share one, also where names are alike", () => {
  const ids = Array.from({ length: 9 }, (_, index) => `9c1d0000-0000-4000-8000-00000000000${index}`);
  const [day] = usage.days;
  if (!day) throw new Error("no day");
  const many: Usage = {
    ...usage,
    days: [
      {
        ...day,
        keys: ids.map((key_id, at) => ({
          ...{ key_id, succeeded: 1, failed: 0, failed_seconds: 0 },
          succeeded_seconds: at * 60,
        })),
      },
    ],
    keys: ids.map((id) => ({ id, name: "server", display: "v2j_live_4fQx2a" })),
  };
  const { parts } = seriesOf(many, "key");
  expect(parts.map(({ name, seconds }) => [name, seconds])).toEqual([
    ["server", [480]],
    ["server", [420]],
    ["server", [360]],
    ["server", [300]],
    ["server", [240]],
    ["4 other keys", [180 + 120 + 60]],
  ]);
  expect(new Set(parts.map(({ id }) => id)).size).toBe(6);
  expect(new Set(parts.map(({ colour }) => colour)).size).toBe(6);
});

test.each([
  [0, 1],
  [0.4, 1],
  [3, 4],
  [9, 10],
  [11, 20],
  [41, 50],
  [600, 1000],
])("an axis for %d minutes ends at %d", (minutes, end) => {
  expect(axisEnd(minutes)).toBe(end);
});

test("a range ends today and has its number of days", () => {
  expect(daysOfRange(7, Date.parse("2026-03-02T10:00:00Z"))).toEqual({ from: "2026-02-24", to: "2026-03-02" });
});

test("unknown values of an address are left out", () => {
  expect(readRange({ days: "90", by: "key" })).toEqual({ days: 90, by: "key" });
  expect(readRange({ days: "1000000", by: "colour" })).toEqual({});
});
