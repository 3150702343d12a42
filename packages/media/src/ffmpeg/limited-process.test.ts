import { expect, test } from "vitest";
import { parseHardLimits } from "./limited-process.ts";

const table = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max file size             1000                 2000000              bytes
Max open files            20                   45                   files
Max address space         unlimited            unlimited            bytes
`;

test("the hard limit applies, not the soft one, and `unlimited` becomes Infinity", () => {
  const infinite = { memoryBytes: Number.POSITIVE_INFINITY, cpuSeconds: Number.POSITIVE_INFINITY };
  expect(parseHardLimits(table)).toEqual({ ...infinite, fileBytes: 2_000_000, openFiles: 45 });
});

test("without a table of limits, every limit is infinite", () => {
  expect(new Set(Object.values(parseHardLimits("")))).toEqual(new Set([Number.POSITIVE_INFINITY]));
});
