import { expect, test } from "vitest";
import { timestampSeconds, timestampText } from "./timestamp.ts";

test("seconds are counted from the start", () => {
  expect(timestampSeconds("09:59")).toBe(599);
  for (const text of ["9:59", "60:00", "00:60", "00:05.0", " 00:05", ""])
    expect(timestampSeconds(text), text).toBeUndefined();
});

test("a time is rounded down to its second", () => {
  expect([0, 59_999, 599_000, 3_599_999].map(timestampText)).toEqual(["00:00", "00:59", "09:59", "59:59"]);
});
