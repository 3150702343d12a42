import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { coloursFor } from "./terminal.ts";

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
