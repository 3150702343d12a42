import { expect, test } from "vitest";
import { repositoryRoot } from "../test-environment.ts";
import { auditVerdict, isAllowed, shippedPackages } from "./shipped-packages.ts";

const report = (vulnerabilities: object, advisories = {}) =>
  JSON.stringify({ advisories, metadata: { vulnerabilities } });

test("no known vulnerability passes", () => {
  const counts = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
  expect(auditVerdict(report(counts))).toEqual({
    output: "audit: no known vulnerabilities in the packages that ship",
    passed: true,
  });
});

test("a high or critical vulnerability fails and is named; a lesser one is only reported", () => {
  const advisories = { 1: { severity: "high", module_name: "left-pad", title: "Pads right" } };
  const high = auditVerdict(report({ high: 1, low: 2 }, advisories));
  expect(high.passed).toBe(false);
  expect(high.output).toContain("1 high, 2 low\n  high: left-pad: Pads right");
  expect(auditVerdict(report({ critical: 1 })).passed).toBe(false);
  expect(auditVerdict(report({ moderate: 3 }))).toMatchObject({
    passed: true,
    output: expect.stringContaining("3 moderate"),
  });
});

test.each(["", "ERR_PNPM_AUDIT_BAD_RESPONSE", "{}", '{"error":{"code":"ERR"}}', "null"])(
  "a registry that returns no report (%j) fails nothing, and the output says so",
  (printed) => {
    expect(auditVerdict(printed)).toEqual({ output: expect.stringContaining("not done"), passed: true });
  },
);

test("every package that ships has an allowed licence", () => {
  const packages = shippedPackages(repositoryRoot);
  // An empty list would pass every check.
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(["express", "bullmq", "debug"]));
  expect(packages.filter(({ license }) => !isAllowed(license))).toEqual([]);
});

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0-only)", true],
  ["(MIT AND GPL-3.0-only)", false],
  ["Apache-2.0 AND (GPL-3.0-only OR ISC)", true],
  ["MIT AND (GPL-3.0-only AND ISC)", false],
  ["GPL-3.0-only", false],
  ["SEE LICENSE IN LICENSE.md", false],
  ["", false],
])("the licence %j is allowed: %j", (expression, taken) => {
  expect(isAllowed(expression)).toBe(taken);
});
