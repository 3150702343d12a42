import { expect, test } from "vitest";
import { reportOf, runCheck } from "./run-gate.ts";

const sh = (script: string) => ({ name: "lint", command: "sh", args: ["-c", script] });

test("a check passes when its program exits with 0", async () => {
  const result = await runCheck(sh("echo fine"), "/");
  expect(result).toMatchObject({ name: "lint", passed: true });
  expect(reportOf(result)).toMatch(/^lint: passed in \d+\.\d s$/);
});

test("a check that fails reports all that its program printed", async () => {
  const result = await runCheck(sh("echo a.ts: unused; echo warning >&2; exit 1"), "/");
  expect(result.passed).toBe(false);
  expect(reportOf(result)).toMatch(/^a\.ts: unused\nwarning\nlint: FAILED in \d+\.\d s$/);
});

test("a program that cannot be started fails its check", async () => {
  const result = await runCheck({ name: "lint", command: "no-such-program", args: [] }, "/");
  expect(result).toMatchObject({ passed: false, output: expect.stringContaining("ENOENT") });
});
