import { expect, test } from "vitest";
import { logFaults } from "./find-log-faults.ts";

const line = (level: number, msg: string) => JSON.stringify({ level, msg });

test("fatal lines, stack traces and warnings of Node are faults; handled errors are not", () => {
  const fine = [line(30, "request"), line(50, "request failed"), ""].join("\n");
  expect(logFaults("api-1", fine, true)).toEqual([]);
  const bad = [
    line(60, "x"),
    line(50, "unhandled rejection"),
    line(50, "Uncaught Exception: x"),
    line(50, "uncaught"),
    line(40, "MaxListenersExceededWarning: Possible leak"),
    "    at run (file.ts:1:1)",
    "(node:1) MaxListenersExceededWarning: Possible leak",
    "null",
    "7",
  ];
  expect(logFaults("api-1", [fine, ...bad].join("\n"), true)).toEqual(bad.map((each) => `api-1: ${each}`));
});

test("a process that does not log JSON may write any line but a crash", () => {
  expect(logFaults("emulator", "POST /upload 200\n[unhandledRejection] x", false)).toEqual([
    "emulator: [unhandledRejection] x",
  ]);
});
