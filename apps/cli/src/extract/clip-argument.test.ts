import { expect, test } from "vitest";
import { clipArgument } from "./extract-command.ts";

test("a clip has a start, an end or both, in minutes and seconds", () => {
  expect(clipArgument("1:00-2:30")).toEqual({ start: "01:00", end: "02:30" });
  expect(clipArgument("01:00-")).toEqual({ start: "01:00" });
  expect(clipArgument("-12:05")).toEqual({ end: "12:05" });
});

test.each(["", "-", "1:00", "60-90", "1:00-2:60", "1:00:00-1:10:00", "1:00–2:30"])("%j is not a clip", (text) => {
  expect(() => clipArgument(text)).toThrow("Write a clip as");
});
