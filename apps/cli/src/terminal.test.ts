import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { bytesText, clockText, coloursFor, minutesText } from "./terminal.ts";

const terminal = Object.assign(new PassThrough(), { isTTY: true });
const pipe = new PassThrough();

test.for([
  ["a terminal", terminal, {}, false, true],
  ["a pipe", pipe, {}, false, false],
  ["NO_COLOR", terminal, { NO_COLOR: "1" }, false, false],
  ["an empty NO_COLOR", terminal, { NO_COLOR: "" }, false, true],
  ["FORCE_COLOR", pipe, { FORCE_COLOR: "" }, false, true],
  ["FORCE_COLOR=0", terminal, { FORCE_COLOR: "0" }, false, false],
  ["FORCE_COLOR beside NO_COLOR", pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
  ["--no-color beside FORCE_COLOR", terminal, { FORCE_COLOR: "1" }, true, false],
  ["a dumb terminal", terminal, { TERM: "dumb" }, false, false],
] as const)("%s decides whether colours are on", ([, stream, env, noColor, on]) => {
  const { paint } = coloursFor({ env, stream, noColor });
  expect(paint("red", "x")).toBe(on ? "\u001b[31mx\u001b[39m" : "x");
});

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
