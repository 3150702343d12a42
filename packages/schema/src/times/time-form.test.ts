import { expect, test } from "vitest";
import { readClock, readNumber, writeTime } from "./time-form.ts";

test("a time is written again as it was written, at another moment", () => {
  const at = 3_723_456;
  const clocks = {
    "00:05": '"62:03"',
    "1:02:03": '"1:02:03"',
    "01:02.5": '"62:03.4"',
    "00:00:01,500": '"01:02:03,456"',
  };
  for (const [text, written] of Object.entries(clocks)) {
    const form = readClock(text)?.form;
    expect(form && writeTime(at, form), text).toBe(written);
  }
  const numbers = { "5": "12", "5.0": "12.3", "5.25": "12.34" };
  for (const [raw, written] of Object.entries(numbers)) {
    const form = readNumber(raw, 1000)?.form;
    expect(form && writeTime(12_345, form), raw).toBe(written);
  }
});

test("a text that is not a clock and a number that is not a position are not read", () => {
  for (const text of ["00:75", "1:75:00", "5", "-00:05", "00:05-00:09", "00:05 pm"])
    expect(readClock(text)).toBeUndefined();
  for (const raw of ["-1", "1e3"]) expect(readNumber(raw, 1000)).toBeUndefined();
});
