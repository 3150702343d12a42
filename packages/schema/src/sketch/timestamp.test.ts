import { expect, test } from "vitest";
import { toTimestamp } from "./sketch.ts";

test("times are rewritten where that loses nothing", () => {
  const times = {
    "00:05": "00:05",
    "0:05": "00:05",
    "5:3": "05:03",
    "00:00:05": "00:05",
    "0:10:00": "10:00",
    " 1:02 ": "01:02",
    "00:05.0": "00:05",
    "00:05.000": "00:05",
  };
  for (const [from, to] of Object.entries(times)) expect(toTimestamp(from), from).toBe(to);
});

test("a time stays as it is when the conversion loses something or is a guess", () => {
  for (const text of [
    "5",
    "65",
    "00:05.4",
    "1:00:05",
    "00:75",
    "75:00",
    "5s",
    "",
    "00:05-00:09",
    "-00:05",
    "0:0:0:5",
    "００:05",
  ]) {
    expect(toTimestamp(text), text).toBeUndefined();
  }
});
