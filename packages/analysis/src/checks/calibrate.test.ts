import { expect, test } from "vitest";
import { openShiftMemory } from "./calibrate.ts";

const job = { accountId: "a", schemaText: "{}" };

test("a job remembers the looks at its first answer only", () => {
  const shiftsOf = openShiftMemory();
  const shifts = shiftsOf(job);
  for (const looks of [[100, 200], [300]]) shifts.add(looks);
  expect([shifts.earlier, shiftsOf(job).earlier]).toEqual([[], [100, 200]]);
});

test("a video with many times fills a fifth of the memory at most", () => {
  const shiftsOf = openShiftMemory();
  shiftsOf(job).add(Array.from({ length: 200 }, () => 2_500));
  expect(shiftsOf(job).earlier).toHaveLength(12);
});

test("of a schema with many videos, the memory holds the last 60 edges", () => {
  const shiftsOf = openShiftMemory();
  for (let video = 0; video < 30; video++) shiftsOf(job).add([video, video, video]);
  expect(shiftsOf(job).earlier).toEqual(Array.from({ length: 60 }, (_, index) => 10 + Math.floor(index / 3)));
});

test("of many schemas, the memory forgets the one that was not used for longest", () => {
  const shiftsOf = openShiftMemory();
  const schema = (nth: number) => shiftsOf({ ...job, schemaText: String(nth) });
  for (let nth = 0; nth < 1_000; nth++) schema(nth).add([nth]);
  expect(schema(0).earlier).toEqual([0]);
  schema(1_000).add([1_000]);
  expect([0, 1, 999, 1_000].map((nth) => schema(nth).earlier)).toEqual([[0], [], [999], [1_000]]);
});
