import { execFile } from "node:child_process";

/** One program that checks the whole tree. */
export type Check = { name: string; command: string; args: readonly string[] };

/** The result of a check, and its output. */
export type CheckResult = { name: string; passed: boolean; seconds: number; output: string };

/** The checks that run no code of ours. */
export const staticChecks: readonly Check[] = [
  // More threads for one project would check its imports again: that takes a quarter more CPU time, which the tests
  // need.
  { name: "types", command: "tsc", args: ["-b", "--checkers", "1"] },
  { name: "lint", command: "biome", args: ["check", "--error-on-warnings"] },
  { name: "dead code", command: "knip", args: [] },
];

/** Runs a check in `directory` to its end. A program that cannot be started fails its check. */
export function runCheck({ name, command, args }: Check, directory: string): Promise<CheckResult> {
  const began = performance.now();
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd: directory, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const seconds = (performance.now() - began) / 1000;
      const output = [stdout, stderr, error && !stdout && !stderr ? error.message : ""].join("").trim();
      resolve({ name, passed: error === null, seconds, output });
    });
  });
}

/** Returns the lines that report a check: its output if it failed, and its result. */
export function reportOf({ name, passed, seconds, output }: CheckResult): string {
  const result = `${name}: ${passed ? "passed" : "FAILED"} in ${seconds.toFixed(1)} s`;
  return passed ? result : `${output}\n${result}`;
}
