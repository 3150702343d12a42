import { expect, test } from "vitest";
import { agoText, bytesText, counted, countsText, durationText, lastDayText, minutesText } from "./format.ts";

test.each([
  [0, "0 min"],
  [60, "1 min"],
  [90, "1.5 min"],
  [1_000_020, "16,667 min"],
])("%i s are %s", (seconds, text) => {
  expect(minutesText(seconds)).toBe(text);
});

test.each([
  [480, "480 ms"],
  [12_480, "12.5 s"],
  [60_000, "1 min"],
  [200_400, "3 min 20 s"],
])("%i ms are %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("times in the past are written for people", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const ago = (seconds: number) => agoText(new Date(now - seconds * 1000).toISOString(), now);
  expect([30, 300, 7200, 90_000, 200_000].map(ago)).toEqual([
    "just now",
    "5 min ago",
    "2 h ago",
    "yesterday",
    "2 days ago",
  ]);
  // The clock of the reader may be behind.
  expect(ago(-50)).toBe("just now");
});

test("an end at midnight belongs to the day before", () => {
  expect(lastDayText("2027-01-01T00:00:00Z")).toBe("31 Dec 2026");
});

test("sizes and counts", () => {
  expect([512, 812_000, 12_400_000, 2e9].map(bytesText)).toEqual(["512 B", "812 kB", "12.4 MB", "2 GB"]);
  expect([counted(1, "job"), counted(3, "job")]).toEqual(["1 job", "3 jobs"]);
});

test("the counts of a second look leave out the zeros", () => {
  expect(countsText({ confirmed: 5, moved: 1, contradicted: 0, unconfirmed: 0, not_checked: 2 })).toBe(
    "5 confirmed, 1 moved, 2 not checked",
  );
  expect(countsText({ confirmed: 0 })).toBe("no times");
});
