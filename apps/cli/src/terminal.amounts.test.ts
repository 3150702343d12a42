import { expect, test } from "vitest";
import { bytesText, clockText, minutesText } from "./terminal.ts";

test("bytes and times are formatted for people", () => {
  expect([999, 1000, 999_400, 1_000_000, 9_949_999, 10e6, 214_300_000].map(bytesText)).toEqual([
    "999 B",
    "1 kB",
    "999 kB",
    "1.0 MB",
    "9.9 MB",
    "10 MB",
    "214 MB",
  ]);
  expect([-5, 0, 7999, 60_000, 750_000, 3_600_000].map(clockText)).toEqual([
    "0:00",
    "0:00",
    "0:07",
    "1:00",
    "12:30",
    "1:00:00",
  ]);
});

test("a balance is in minutes, with hours or seconds if that helps", () => {
  expect([0, 59, 60, 750, 7199, 180_420, 180_450].map(minutesText)).toEqual([
    "0 minutes",
    "0 minutes 59 s",
    "1 minute",
    "12 minutes 30 s",
    "119 minutes 59 s",
    "3007 minutes (50 h 7 min)",
    "3007 minutes (50 h 7 min)",
  ]);
});
