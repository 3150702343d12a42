import { expect, test } from "vitest";
import { auditVerdict } from "./audit.ts";

const report = (vulnerabilities: object, advisories = {}) =>
  JSON.stringify({ advisories, metadata: { vulnerabilities } });

test("no known vulnerability is good", () => {
  const counts = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
  expect(auditVerdict(report(counts))).toEqual({
    line: "audit: no known vulnerabilities in what is shipped",
    good: true,
  });
});

test("a high or critical one is a fault and is named, a lesser one is only told", () => {
  const advisories = { 1: { severity: "high", module_name: "left-pad", title: "Pads right" } };
  const high = auditVerdict(report({ high: 1, low: 2 }, advisories));
  expect(high.good).toBe(false);
  expect(high.line).toContain("1 high, 2 low\n  high: left-pad: Pads right");
  expect(auditVerdict(report({ critical: 1 })).good).toBe(false);
  expect(auditVerdict(report({ moderate: 3 }))).toMatchObject({
    good: true,
    line: expect.stringContaining("3 moderate"),
  });
});

test.each(["", "ERR_PNPM_AUDIT_BAD_RESPONSE", "{}", '{"error":{"code":"ERR"}}', "null"])(
  "where the registry gave no report (%j), that is said, and nothing is claimed",
  (printed) => {
    expect(auditVerdict(printed)).toEqual({ line: expect.stringContaining("not done"), good: true });
  },
);
