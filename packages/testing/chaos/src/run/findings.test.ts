import { expect, test } from "vitest";
import { logFaults } from "./findings.ts";

const line = (level: string, msg: string) => JSON.stringify({ level, msg });

test("fatal lines, stack traces and warnings of Node are faults; handled errors are not", () => {
  const fine = [line("info", "request"), line("error", "request failed"), ""].join("\n");
  expect(logFaults({ name: "api-1", text: fine, isJson: true })).toEqual([]);
  const bad = [
    line("fatal", "x"),
    line("error", "unhandled rejection"),
    line("error", "Uncaught Exception: x"),
    line("error", "uncaught"),
    line("warn", "MaxListenersExceededWarning: Possible leak"),
    "    at run (file.ts:1:1)",
    "(node:1) MaxListenersExceededWarning: Possible leak",
    "null",
    "7",
  ];
  expect(logFaults({ name: "api-1", text: [fine, ...bad].join("\n"), isJson: true })).toEqual(
    bad.map((each) => `api-1: ${each}`),
  );
});

test("a process that does not log JSON may write any line but a crash", () => {
  const text = "POST /upload 200\n[unhandledRejection] x";
  expect(logFaults({ name: "emulator", text, isJson: false })).toEqual(["emulator: [unhandledRejection] x"]);
});

test("a line that was cut off is a fault, unless its disk was full and it is not a crash", () => {
  const text = [
    '{"',
    '{"level":"info","time":"2026',
    '{"level":"fatal","time',
    '{"level":"warn","msg":"unhandled rejection',
  ].join("\n");
  const log = { name: "api-1", text, isJson: true };
  expect(logFaults(log)).toHaveLength(4);
  expect(logFaults({ ...log, wasFull: true })).toHaveLength(2);
});
