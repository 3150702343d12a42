import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { numberOption, parseCommand } from "./parse-command.ts";

const printed = { log: "", error: "" };
beforeEach(() => {
  Object.assign(printed, { log: "", error: "" });
  for (const to of ["log", "error"] as const) {
    vi.spyOn(console, to).mockImplementation((text) => {
      printed[to] += text;
    });
  }
});
afterEach(() => void vi.restoreAllMocks());

const parse = (...args: string[]) =>
  parseCommand(args, {
    usage: "Usage: up|down",
    commands: ["up", "down"],
    options: { json: { type: "boolean", default: false }, workers: { type: "string", default: "2" } },
  });

test("the command and the options are returned, with their defaults", () => {
  expect(parse("up", "--json")).toEqual({ command: "up", values: { help: false, json: true, workers: "2" } });
  expect(printed).toEqual({ log: "", error: "" });
});

test.each(["--help", "-h"])("%s prints the usage on stdout and exits with 0", (option) => {
  expect(parse("up", option)).toEqual({ exitCode: 0 });
  expect(printed).toEqual({ log: "Usage: up|down", error: "" });
});

test.each([[[]], [["sideways"]], [["up", "down"]]])(
  "the commands %j print the usage on stderr and exit with 2",
  (words) => {
    expect(parse(...words)).toEqual({ exitCode: 2 });
    expect(printed).toEqual({ log: "", error: "Usage: up|down" });
  },
);

test("an unknown option is refused", () => {
  expect(() => parse("up", "--purge")).toThrow("--purge");
});

test.each([
  ["1", 1],
  ["50", 50],
])("%s is accepted", (text, number) => {
  expect(numberOption("--n", text, { min: 1, max: 50 })).toBe(number);
});

test("a fraction is accepted where the option allows it", () => {
  expect(numberOption("--minutes", "0.5", { min: 0.1, max: 60, fractions: true })).toBe(0.5);
});

test.each(["", " ", "0", "51", "1.5", "one", "Infinity", "NaN"])('"%s" is refused with the bounds', (text) => {
  expect(() => numberOption("--n", text, { min: 1, max: 50 })).toThrow(/--n takes a whole number from 1 to 50/);
});
